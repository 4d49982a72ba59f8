package collect

import (
	goruntime "runtime"
	"unsafe"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/runtime"
)

// The functions below are in the accessor file that the wrapper appends to the compile of
// package runtime (see toolexec/accessor). They read, and change nothing.

// findObject returns the heap slot that p is in: base 0 if it is in none. tiny: of the size and kind
// that the tiny allocator uses for its blocks; cycle: mark phases that have started; marking: the
// last of them has not ended; turn changes whenever the scheduler runs something else.
//
//go:linkname findObject runtime.filip_object
func findObject(p uintptr) (base, size uintptr, tiny bool, cycle uint32, marking bool, turn uint64)

// rowNext takes the next number of the row of the P at hand, 0 if it is used up.
//
//go:linkname rowNext runtime.filip_next
//go:noescape
func rowNext(rows unsafe.Pointer, n uint32) (next uint64)

// refillRow gives the P at hand new numbers, if it has used up those it had and has a row.
//
//go:linkname refillRow runtime.filip_refill
//go:noescape
func refillRow(rows unsafe.Pointer, n uint32, next, end uint64) (was, none bool)

//go:linkname accessorTinyEnd runtime.filip_tinyEnd
func accessorTinyEnd(p uintptr) uintptr

//go:linkname accessorTypeSize runtime.filip_typeSize
func accessorTypeSize(t unsafe.Pointer) uintptr

//go:linkname gcCycle runtime.filip_gcCycle
func gcCycle() uint32

//go:linkname gcCompleted runtime.filip_gcCompleted
func gcCompleted() uint32

//go:linkname heapAllocated runtime.filip_heapAllocated
func heapAllocated() (objects, bytes uint64)

//go:linkname heapLive runtime.filip_heapLive
func heapLive() uint64

//go:linkname gcCPU runtime.filip_gcCPU
func gcCPU() uint64

//go:linkname wallTime runtime.filip_wallTime
func wallTime() int64

//go:linkname accessorTypeName runtime.filip_typeName
//go:noescape
func accessorTypeName(t unsafe.Pointer, buf []byte) (n int)

//go:linkname accessorCallers runtime.filip_callers
//go:noescape
func accessorCallers(pcs []uintptr) int

//go:linkname accessorFunction runtime.filip_function
func accessorFunction(pc uintptr) string

//go:linkname accessorFrame runtime.filip_frame
//go:noescape
func accessorFrame(pc uintptr, calls uint8, buf []byte) (n int, file string, line int32, outer uintptr, kind uint8, hidden bool)

//go:linkname panicking runtime.filip_panicking
//go:nosplit
func panicking() bool

//go:linkname addExitHook runtime.filip_addExitHook
func addExitHook(f func())

//go:linkname sweep runtime.filip_sweep
func sweep(ns int64)

//go:linkname flushCleanups runtime.filip_flushCleanups
func flushCleanups()

//go:linkname startTicker runtime.filip_startTicker
func startTicker(tick func())

//go:linkname tickerParked runtime.filip_tickerParked
var tickerParked uint32

//go:linkname accessorWake runtime.filip_wakeTicker
func accessorWake()

// wakeTicker lets the ticker go on that rested while nothing ran.
func wakeTicker() {
	if load(&tickerParked) != 0 {
		accessorWake()
	}
}

//go:linkname startForcer runtime.filip_startForcer
func startForcer(period int64)

//go:linkname forcerSaw runtime.filip_forcerSaw
var forcerSaw uint32

//go:linkname accessorWakeForcer runtime.filip_wakeForcer
func accessorWakeForcer()

// tinySize reports whether the object that has just been allocated at addr shares its slot, which
// starts at base, with others, and its own size. The tiny allocator's blocks look like any 16 bytes without
// pointers. An object that does not start its slot shares it; one that does, shares it if
// it is smaller, or if the tiny allocator is still at that block and will go on there.
func tinySize(addr, base uintptr, s *runtime.Sample, site uint32) (size uintptr, shared bool) {
	static := int64(s.Size)
	if s.Site != nil {
		static = siteBytes(s, site)
	}
	if static >= tinyBlock {
		return 0, false
	}
	end := accessorTinyEnd(addr)
	switch {
	case static >= 0:
		return uintptr(static), true
	case end > addr:
		return end - addr, true
	case addr != base:
		return base + tinyBlock - addr, true
	}
	return 0, false
}

// siteBytes is the static size of a site's objects, -1 if they differ. It is looked up once per
// site.
func siteBytes(s *runtime.Sample, site uint32) int64 {
	if site >= maxSizes || siteSizes == nil {
		return staticBytes(s)
	}
	known := (*uint32)(unsafe.Add(siteSizes, 4*site))
	v := load(known)
	if v == 0 {
		v = uint32(min(staticBytes(s), 1<<30) + 2)
		store(known, v)
	}
	return int64(v) - 2
}

const maxSizes = 1 << 16

var siteSizes unsafe.Pointer // [maxSizes]uint32: the size and 2, 0 if it is not known yet

func staticBytes(s *runtime.Sample) int64 {
	if s.Type != nil {
		if n := accessorTypeSize(s.Type); n > 0 {
			return int64(n)
		}
	}
	return format.ReadSite(s.Site.Table().Meta, s.Site.Meta).Bytes
}

// attached is the size of what belongs to a new map or channel beside its header: the first
// group or the directory of a map, the buffer of a channel whose elements have pointers.
// Both headers have had the pointer to it as their third word since Go 1.24.
func attached(s *runtime.Sample, header uintptr) uintptr {
	if s.Shape == runtime.ShapeObject || s.Shape == runtime.ShapeMap && hooks(format.KindMap) || s.Shape == runtime.ShapeChan && hooks(format.KindMake) {
		return 0 // it counts by itself
	}
	base, size, _, _, _, _ := findObject(*(*uintptr)(unsafe.Add(pointer(s.Addr), 2*unsafe.Sizeof(uintptr(0)))))
	if base == 0 || base == header {
		return 0
	}
	return size
}

// typeName is the name of T for the type descriptor of *T, package paths in full. It is in buf.
func typeName(ptr unsafe.Pointer, buf []byte) string {
	return unsafe.String(unsafe.SliceData(buf), accessorTypeName(ptr, buf))
}

func addCleanup(p unsafe.Pointer, id, gen uint32) goruntime.Cleanup {
	return goruntime.AddCleanup((*byte)(p), found, uint64(gen)<<32|uint64(id))
}

func goVersion() string { return goruntime.Version() }

const (
	goos   = goruntime.GOOS
	goarch = goruntime.GOARCH
)
