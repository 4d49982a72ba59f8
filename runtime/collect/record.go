package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/runtime"
	"github.com/filip-go/filip/sampler"
)

// record has the layout of a record in the file.
type record struct {
	birth      uint64
	end        uint64
	bytes      uint64
	site       uint32
	stack      uint32
	birthCycle uint32
	deathCycle uint32
	weight     float32
	state      uint32
}

var startTime int64

func elapsed() uint64 { return uint64(nanotime() - startTime) }

// born notes the birth of a sampled object and has its death watched.
func born(c *runtime.Counter, s runtime.Sample, level uint32) (moved unsafe.Pointer) {
	obj := findObject(s.Addr)
	if obj.base == 0 {
		if s.Addr == 0 || s.Addr == uintptr(unsafe.Pointer(&zerobase)) {
			drop(format.DroppedZeroSize)
		} else {
			c.NoHeap++ // summed up with each timeline entry: at 1/1 this is the most frequent case
		}
		return nil
	}
	bytes := obj.size
	imprecise := false
	if size, shared := tiny(s.Addr, obj, s); shared {
		bytes = size
		if s.Tiny {
			moved = move(s.Addr, obj.base+obj.size-s.Addr)
			s.Addr = uintptr(moved)
			xadd64(&ownObjects, 1)
			xadd64(&ownBytes, tinyBlock)
		} else {
			imprecise = true
		}
	}
	bytes += attached(s)

	site := siteID(s)
	if site == 0 {
		drop(format.DroppedTables)
		return moved
	}
	r, id, level, again := claim(c, level)
	if r == nil {
		return moved
	}
	gen := r.state >> format.StateGenShift
	r.birth = elapsed()
	r.end = 0
	if observer == format.ObserverCensus {
		r.end = uint64(s.Addr)
	}
	r.bytes = uint64(bytes)
	r.site = site
	r.stack = 0
	r.birthCycle = gcCycle()
	r.deathCycle = 0
	r.weight = float32(baseRate)
	state := format.StateAlive | (level+sampler.Level(&c.Seed))&format.StateLevelMask<<format.StateLevelShift | gen<<format.StateGenShift
	if imprecise {
		state |= format.StateImprecise
	}
	if again {
		store(&r.state, state)
		watchBlock(uint64(id) / format.RecordsPerBlock)
	} else {
		commit(&r.state, state)
	}
	if observer == format.ObserverCleanup && !imprecise {
		watch(pointer(s.Addr), id, gen)
	}
	return moved
}

// bornVar notes the births of a slice or map variable and of what it refers to.
func bornVar(c *runtime.Counter, s runtime.Sample, level uint32) {
	first := (*unsafe.Pointer)(pointer(s.Addr))
	ref := runtime.Sample{Addr: uintptr(*first), Site: s.Site.Next(), Type: s.Type}
	// What is tiny can be moved only by changing the variable, and that is safe only on the heap: a
	// stack may have moved since.
	ref.Tiny = s.Shape == runtime.ShapeSliceVar && findObject(s.Addr).base != 0
	if s.Shape == runtime.ShapeMapVar {
		ref.Shape = runtime.ShapeMap
	}
	s.Shape = runtime.ShapeObject
	born(c, s, level)
	if moved := born(c, ref, level); moved != nil {
		*first = moved
	}
}

const tinyBlock = 16

// move gives a tiny object a slot of its own. What follows the object in its old block
// comes along as padding.
func move(addr, n uintptr) unsafe.Pointer {
	slot := newSlot()
	copy(unsafe.Slice((*byte)(slot), n), unsafe.Slice((*byte)(pointer(addr)), n))
	return slot
}

// newSlot allocates 16 bytes without pointers, the smallest size that does not come from
// the tiny allocator.
//
//go:noinline
func newSlot() unsafe.Pointer { return unsafe.Pointer(new([tinyBlock]byte)) }
