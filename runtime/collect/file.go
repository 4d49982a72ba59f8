package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/sampler"
)

// profileFile is the memory-mapped profile. The whole bound is mapped at once, which takes
// address space only; the file grows under the mapping.
type profileFile struct {
	base    unsafe.Pointer
	path    string
	inode   identity
	max     uint64 // blocks within FILIP_MAX
	blocks  uint64 // blocks handed out
	ready   uint64 // blocks that the file is long enough for
	growing uint32 // 1 while one goroutine makes the file longer
	alone   bool   // two goroutines must not make the file longer at once
	bounded uint32 // 1 once the file grows no more
	entries uint64 // the block that takes entries, plus 1
}

var file profileFile

// The file starts with minGrow blocks and doubles up to steps of maxGrow. It grows while a
// quarter of it is still unused (a step's quarter, once it is large), so that no goroutine
// has to wait for the one that makes the file longer.
const (
	minGrow = 256
	maxGrow = 4096
)

func step(ready uint64) uint64 { return max(minGrow, min(ready, maxGrow)) }

// reserve is the share of the blocks that records leave to entries, for sites first
// sampled and timeline entries made after the file has reached its bound.
const reserve = 8

func (f *profileFile) u32(off uintptr) *uint32 { return (*uint32)(unsafe.Add(f.base, off)) }
func (f *profileFile) u64(off uintptr) *uint64 { return (*uint64)(unsafe.Add(f.base, off)) }

func (f *profileFile) block(n uint64) uintptr {
	return format.HeaderSize + uintptr(n)*format.BlockSize
}

func (f *profileFile) record(block uint64, i uint32) *record {
	return (*record)(unsafe.Add(f.base, f.block(block)+format.RecordsStart+uintptr(i)*format.RecordSize))
}

// begin writes the header. The magic comes last: before it, nobody takes the file for a
// profile.
func (f *profileFile) begin(n float64, design sampler.Design) {
	*f.u32(format.HeaderVersion) = format.Version
	*f.u32(format.HeaderHeaderSize) = format.HeaderSize
	*f.u32(format.HeaderBlockSize) = format.BlockSize
	*f.u32(format.HeaderRecordSize) = format.RecordSize
	*f.u64(format.HeaderStartWall) = uint64(wallTime())
	*f.u64(format.HeaderStartMono) = uint64(startTime)
	*f.u64(format.HeaderRate) = *(*uint64)(unsafe.Pointer(&n))
	*f.u32(format.HeaderPid) = uint32(getpid())
	*f.u32(format.HeaderDesign) = uint32(design)
	*f.u32(format.HeaderObserver) = observer
	*f.u32(format.HeaderTimeShift) = timeShift
	magic := uint64(0)
	for i := range format.Magic {
		magic |= uint64(format.Magic[i]) << (8 * i)
	}
	store64(f.u64(format.HeaderMagic), magic)
	note(format.MetaProgram, programName())
	note(format.MetaGoVersion, goVersion())
	note(format.MetaOS, goos)
	note(format.MetaArch, goarch)
	args := ""
	for i, a := range argslice {
		if i > 0 {
			args += "\x00"
		}
		args += a
	}
	note(format.MetaArgs, args)
}

// newBlock hands out a fresh block of a kind. Without one, the file is at its bound, or
// (if bounded is still 0) another goroutine was too slow to make it longer.
func (f *profileFile) newBlock(kind uint32) (uint64, bool) {
	limit := f.max
	if kind == format.BlockRecords {
		limit -= limit / reserve
	}
	for {
		n := load64(&f.blocks)
		if n >= limit {
			store(&f.bounded, 1)
			return 0, false
		}
		if ready := load64(&f.ready); n+step(ready)/4 >= ready && ready < f.max {
			f.grow(n >= ready)
			if n >= load64(&f.ready) {
				return 0, false
			}
		} else if n >= ready {
			store(&f.bounded, 1)
			return 0, false
		}
		if cas64(&f.blocks, n, n+1) {
			xadd64(f.u64(format.HeaderBlocks), 1)
			if kind == format.BlockEntries {
				store64(f.u64(f.block(n)+format.BlockUsed), format.BlockHeaderSize)
			} else {
				*(*float32)(unsafe.Add(f.base, f.block(n)+format.BlockWeight)) = float32(baseRate)
			}
			store(f.u32(f.block(n)+format.BlockKind), kind)
			return n, true
		}
	}
}

// grow makes the file longer, unless another goroutine is at it. If it cannot be, the file
// has reached its bound. Where the need is urgent and the other goroutine too slow (it may
// be waiting for the disk, or for a CPU), both ask for the same room, which does no harm.
func (f *profileFile) grow(urgent bool) {
	first := cas(&f.growing, 0, 1)
	if !first && (!urgent || f.alone) {
		return
	}
	ready := load64(&f.ready)
	next := min(ready+step(ready), f.max)
	if f.extend(int64(f.block(ready)), int64(f.block(next))) {
		for {
			old := load64(&f.ready)
			if old >= next || cas64(&f.ready, old, next) {
				break
			}
		}
	} else if load64(&f.ready) == ready {
		f.max = min(f.max, ready)
		store(&f.bounded, 1)
	}
	if first {
		store(&f.growing, 0)
	}
}

// programName is the base name of the command.
func programName() string {
	if len(argslice) == 0 {
		return "unknown"
	}
	name := argslice[0]
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return name[i+1:]
		}
	}
	return name
}
