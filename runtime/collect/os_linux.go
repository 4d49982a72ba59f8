//go:build linux && (amd64 || arm64)

package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
)

const supported = true

const (
	atFdCwd   = ^uintptr(99) // -100
	oRdWr     = 2
	oCreate   = 0x40
	oExcl     = 0x80
	oCloexec  = 0x80000
	mapShared = 1
	mapAnon   = 0x22 // private, anonymous

	enoent     = 2
	eintr      = 4
	eopnotsupp = 95
)

// identity tells whether a path still names the same file.
type identity struct{ dev, ino uint64 }

// pathBuf holds a path with its NUL, on the stack of the caller of a system call.
type pathBuf [4096]byte

func (b *pathBuf) set(path string) uintptr {
	b[copy(b[:len(b)-1], path)] = 0
	return uintptr(unsafe.Pointer(b))
}

func openFile(path string, flags uintptr) (fd, errno uintptr) {
	var buf pathBuf
	fd, _, errno = syscall6(sysOpenat, atFdCwd, buf.set(path), flags|oCloexec, 0o666, 0, 0)
	return fd, errno
}

func unlink(path string) {
	var buf pathBuf
	syscall6(sysUnlinkat, atFdCwd, buf.set(path), 0, 0, 0, 0)
}

// mapMemory maps size bytes of a file, or of none.
func mapMemory(size uintptr, flags, fd uintptr) (p unsafe.Pointer, errno uintptr) {
	const readWrite = 3
	addr, _, errno := syscall6(sysMmap, 0, size, readWrite, flags, fd, 0)
	if errno != 0 {
		return nil, errno
	}
	return pointer(addr), 0
}

// offHeap returns zeroed memory that is not the Go heap's, nil if there is none.
func offHeap(size uintptr) unsafe.Pointer {
	p, _ := mapMemory(size, mapAnon, ^uintptr(0))
	return p
}

// writeAt writes some of the n bytes at p to a file, at least one.
func writeAt(fd uintptr, p unsafe.Pointer, n uintptr, at uint64) (written, errno uintptr) {
	for range 1000 {
		written, _, errno = syscall6(sysPwrite64, fd, uintptr(p), n, uintptr(at), 0, 0)
		if errno != eintr {
			break
		}
	}
	if errno != 0 {
		return 0, errno
	}
	return written, 0
}

func closeFile(fd uintptr) { syscall6(sysClose, fd, 0, 0, 0, 0, 0) }

func getpid() int {
	pid, _, _ := syscall6(sysGetpid, 0, 0, 0, 0, 0, 0)
	return int(pid)
}

// statx has room for struct statx; the fields we need are at fixed offsets on every
// architecture.
type statx [256]byte

func identify(fd uintptr) (id identity, ok bool) {
	var st statx
	empty := [1]byte{}
	const atEmptyPath, basicStats = 0x1000, 0x7ff
	if _, _, errno := syscall6(sysStatx, fd, uintptr(unsafe.Pointer(&empty)), atEmptyPath, basicStats, uintptr(unsafe.Pointer(&st)), 0); errno != 0 {
		return identity{}, false
	}
	return identity{
		dev: *(*uint64)(unsafe.Pointer(&st[136])), // stx_dev_major, stx_dev_minor
		ino: *(*uint64)(unsafe.Pointer(&st[32])),
	}, true
}

// create makes the profile file and maps it. What goes wrong it says on stderr.
func (f *profileFile) create(pattern string, limit int64) bool {
	path, fixed := profilePath(pattern)
	if fixed && inUse(path) {
		path += "." + decimal(getpid())
	}
	if path[0] != '/' {
		var buf [4096]byte
		n, _, errno := syscall6(sysGetcwd, uintptr(unsafe.Pointer(&buf)), uintptr(len(buf)), 0, 0, 0, 0)
		if errno != 0 || n < 2 {
			complain("the working directory has no name: set FILIP_OUT to an absolute path; the program runs unprofiled")
			return false
		}
		path = string(buf[:n-1]) + "/" + path
	}
	// A profile of the same name is of a run that has ended. Whoever is reading it keeps it.
	unlink(path)
	fd, errno := openFile(path, oRdWr|oCreate|oExcl)
	if errno != 0 {
		complain("cannot create the profile ", path, " (", errnoText(errno), "): the program runs unprofiled")
		return false
	}
	f.path = path
	f.max = uint64(min(limit, fileSizeLimit())-format.HeaderSize) / format.BlockSize
	f.inode, _ = identify(fd)
	first := min(uint64(minGrow), f.max)
	size := f.block(f.max)
	if errno := f.allocate(fd, 0, int64(f.block(first))); errno != 0 {
		complain("no room for the profile ", path, " (", errnoText(errno), "): the program runs unprofiled")
		unlink(path)
		closeFile(fd)
		return false
	}
	p, errno := mapMemory(size, mapShared, fd)
	closeFile(fd)
	if errno != 0 {
		complain("cannot map the profile ", path, " (", errnoText(errno), "; FILIP_MAX is too large?): the program runs unprofiled")
		unlink(path)
		return false
	}
	f.base, f.ready = p, first
	createRows()
	instances.create(maxInstances, 3*maxInstances)
	siteSizes = offHeap(4 * maxSizes)
	createHooked()
	return true
}

// fileSizeLimit is the process's own limit, which it would be killed for exceeding
// (SIGXFSZ).
func fileSizeLimit() int64 {
	const fsize = 1
	var limit [2]uint64 // soft, hard
	if _, _, errno := syscall6(sysPrlimit64, 0, fsize, 0, uintptr(unsafe.Pointer(&limit)), 0, 0); errno != 0 || limit[0] > 1<<62 {
		return 1 << 62
	}
	return max(int64(limit[0]), format.HeaderSize)
}

// extend makes the file longer, with the room on the disk assured: a store to a mapped page
// that finds the disk full would be a SIGBUS. The file is opened anew each time, so that
// the program has no descriptor of ours to close or to trip over.
func (f *profileFile) extend(from, to int64) bool {
	fd, errno := openFile(f.path, oRdWr)
	if errno != 0 {
		return false
	}
	id, ok := identify(fd)
	ok = ok && id == f.inode && f.allocate(fd, from, to) == 0
	closeFile(fd)
	return ok
}

// allocate gives the file disk space in [from, to).
func (f *profileFile) allocate(fd uintptr, from, to int64) (errno uintptr) {
	// The signals by which goroutines are preempted interrupt it, on some file systems.
	for range 1000 {
		_, _, errno = syscall6(sysFallocate, fd, 0, uintptr(from), uintptr(to-from), 0, 0)
		if errno != eintr {
			break
		}
	}
	if errno != eopnotsupp {
		return errno
	}
	// The file system cannot: write zeros. What is there already would be lost.
	f.alone = true
	var zeros [4096]byte
	for at := from; at < to; {
		n, _, errno := syscall6(sysPwrite64, fd, uintptr(unsafe.Pointer(&zeros)), uintptr(min(int64(len(zeros)), to-at)), uintptr(at), 0, 0)
		if errno != 0 {
			return errno
		}
		at += int64(n)
	}
	return 0
}

// inUse reports whether path is the profile of a process that is alive: a parent whose
// FILIP_OUT this process has inherited.
func inUse(path string) bool {
	fd, errno := openFile(path, 0)
	if errno != 0 {
		return false
	}
	var head [format.HeaderEnd + 4]byte
	n, _, errno := syscall6(sysPread64, fd, uintptr(unsafe.Pointer(&head)), uintptr(len(head)), 0, 0, 0)
	closeFile(fd)
	if errno != 0 || n < uintptr(len(head)) || string(head[:len(format.Magic)]) != format.Magic {
		return false
	}
	if *(*uint32)(unsafe.Pointer(&head[format.HeaderEnd])) != format.EndUnknown {
		return false // its id may be another process's by now
	}
	pid := *(*uint32)(unsafe.Pointer(&head[format.HeaderPid]))
	_, _, errno = syscall6(sysKill, uintptr(pid), 0, 0, 0, 0, 0)
	const esrch = 3
	return int(pid) != getpid() && errno != esrch
}

func errnoText(errno uintptr) string {
	switch errno {
	case enoent:
		return "no such directory"
	case 13:
		return "permission denied"
	case 27:
		return "the file size limit is too low"
	case 28:
		return "no space left on device"
	case 30:
		return "read-only file system"
	case 20:
		return "not a directory"
	case 21:
		return "is a directory"
	case 12:
		return "cannot allocate memory"
	case 36:
		return "file name too long"
	}
	return "errno " + decimal(int(errno))
}
