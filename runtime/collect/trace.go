//go:build linux && (amd64 || arm64)

package collect

import "unsafe"

// With FILIP_TRACE the runtime's own execution trace is taken during the run and written to
// a file, for filip-inst verify to compare the profile with.
var trace struct {
	path    string
	written uint64 // bytes
	failed  uint32 // 1 once a part could not be written
	on      bool
}

func tracing() bool { return trace.on }

// startTrace starts the trace if FILIP_TRACE names a file. Where it cannot be started the
// program runs without.
func startTrace() {
	pattern := getenv("FILIP_TRACE")
	if pattern == "" {
		return
	}
	if pattern[0] != '/' {
		complain("FILIP_TRACE=", pattern, " is not an absolute path: the run is not traced")
		return
	}
	trace.path, _ = profilePath(pattern)
	unlink(trace.path) // nobody is to take an older run's trace for this one's
	if !accessorStartTrace(writeTrace) {
		complain("the runtime does not start a trace here: the run is not traced")
		return
	}
	trace.on = true
}

// writeTrace is called with one part of the trace after another. The file is opened anew each
// time, so that the program has no descriptor of ours to trip over. A trace without one of its parts
// is none.
func writeTrace(part []byte) {
	if load(&trace.failed) != 0 {
		return
	}
	if errno := appendFile(trace.path, part, load64(&trace.written)); errno != 0 {
		complain("cannot write the trace ", trace.path, " (", errnoText(errno), "): the run is not traced")
		abandonTrace()
		return
	}
	xadd64(&trace.written, int64(len(part)))
}

func abandonTrace() {
	store(&trace.failed, 1)
	unlink(trace.path)
}

// stopTrace ends the trace and waits until all of it is written.
func stopTrace() {
	if !trace.on {
		return
	}
	const second = 1e9
	accessorStopTrace()
	for before := uint64(0); !accessorAwaitTrace(10 * second); {
		written := load64(&trace.written)
		if written == before {
			complain("the trace ", trace.path, " does not end: the run is not traced")
			abandonTrace()
			return
		}
		before = written
	}
}

//go:linkname accessorStartTrace runtime.filip_startTrace
func accessorStartTrace(write func(part []byte)) bool

//go:linkname accessorStopTrace runtime.filip_stopTrace
func accessorStopTrace()

//go:linkname accessorAwaitTrace runtime.filip_awaitTrace
func accessorAwaitTrace(wait int64) bool

// appendFile writes p at an offset of a file, which is made if it is not there.
func appendFile(path string, p []byte, at uint64) (errno uintptr) {
	fd, errno := openFile(path, oRdWr|oCreate)
	if errno != 0 {
		return errno
	}
	for len(p) > 0 && errno == 0 {
		var n uintptr
		n, errno = writeAt(fd, unsafe.Pointer(unsafe.SliceData(p)), uintptr(len(p)), at)
		p, at = p[n:], at+uint64(n)
	}
	closeFile(fd)
	return errno
}
