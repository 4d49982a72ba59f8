package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
)

// The cleanup observer has the collector tell of deaths: each tracked object has a cleanup
// (runtime.AddCleanup), as FiLiP's has a finaliser (ISMM'24, section 3.2).

// What AddCleanup allocates, which differs between versions.
var (
	watchObjects uint64
	watchBytes   uint64
)

// calibrate finds out what AddCleanup allocates: the report takes it off the program's own
// allocations.
func calibrate() {
	const n = 1024
	target := newSlot()
	o1, b1 := heapAllocated()
	for range n {
		addCleanup(target, 0, 0).Stop()
	}
	o2, b2 := heapAllocated()
	watchObjects, watchBytes = (o2-o1+n/2)/n, (b2-b1+n/2)/n
	ownObjects += n*watchObjects + 1
	ownBytes += n*watchBytes + tinyBlock
}

// watch has the death of the object at p noted in the record id, as long as that has
// generation gen.
func watch(p unsafe.Pointer, id, gen uint32) {
	addCleanup(p, id, gen)
	xadd64(&ownObjects, int64(watchObjects))
	xadd64(&ownBytes, int64(watchBytes))
}

// found is what the collector's cleanup queue calls.
func found(arg uint64) {
	died(uint32(arg), uint32(arg>>32), gcCompleted())
}

// died notes a death. It is called in the order of the collector's queue, at any time
// after the mark that found the object dead.
func died(id, gen uint32, cycle uint32) {
	r := file.record(uint64(id)/format.RecordsPerBlock, id%format.RecordsPerBlock)
	for {
		state := load(&r.state)
		if state>>format.StateGenShift&format.StateGenMask != gen || state&format.StateMask != format.StateAlive {
			return // thinned out meanwhile: the slot is another object's
		}
		claimed := state&^format.StateMask | format.StateClaimed
		if cas(&r.state, state, claimed) {
			r.end = recordTime(elapsed()) | r.end&format.RecordMask
			r.deathCycle = cycle
			store(&r.state, state|format.StateDead)
			return
		}
	}
}
