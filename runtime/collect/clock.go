package collect

import (
	"unsafe" // also for linkname

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/runtime"
)

// Heap objects and bytes that collection itself has allocated.
var (
	ownObjects uint64
	ownBytes   uint64
)

// startClock opens the timeline: an entry now, one per GC cycle, one per tick, one at a
// clean end. How an unclean one comes about is noted, too.
func startClock() {
	timeline(format.CauseStart)
	watchCycles()
	addExitHook(ended)
	if overrideWrite == nil {
		overrideWrite = writeError
	}
	startTicker(func() {
		timeline(format.CauseTick)
		hookPools()
	})
}

// Timeline entries take at most half of the room that records leave to entries. Each time
// half of what was left is used up, the spacing of further entries doubles; so a run of any length
// is covered to its end, ever more coarsely. The room that is left is kept for the last entry.
var timelines struct {
	count   uint64 // entries written
	next    uint64 // count at which the spacing doubles
	spacing uint64 // ns between entries
	last    uint64 // time of the newest entry
	busy    uint32
}

// timeline writes an entry of the heap's and the collector's counters. It stops nothing:
// the counters are read one after the other.
func timeline(cause uint32) {
	t := &timelines
	if !cas(&t.busy, 0, 1) {
		return // somebody else is writing just now what would be written here
	}
	now := elapsed()
	if cause == format.CauseStart || cause == format.CauseEnd || now-t.last >= t.spacing {
		room := file.max / reserve / 2 * format.BlockSize / (format.TimeSize + format.EntryHeadSize)
		if t.next == 0 {
			t.next = room / 2
		}
		if t.count++; t.count >= t.next {
			t.next += max(1, (room-min(room, t.next))/2)
			t.spacing = max(1e6, 2*t.spacing)
		}
		t.last = now
		writeTime(now, cause)
	}
	notHeap := uint64(0)
	for i := range runtime.Counters {
		notHeap += uint64(runtime.Counters[i].NoHeap)
	}
	for i := range hookCounters {
		notHeap += uint64(hookCounters[i].NoHeap)
	}
	store64(file.u64(format.HeaderDropped+8*uintptr(format.DroppedNotHeap)), notHeap)
	store(&t.busy, 0)
}

func writeTime(now uint64, cause uint32) {
	e, ok := file.newEntry(format.EntryTime, format.TimeSize)
	if !ok {
		return
	}
	objects, bytes, ours, oursBytes := allocated()
	e.u64(now)
	e.u32(cause)
	e.u32(gcCycle())
	e.u64(objects)
	e.u64(bytes)
	e.u64(heapLive())
	e.u64(gcCPU())
	e.u64(ours)
	e.u64(oursBytes)
	e.commit()
}

// allocated is what the whole program has allocated, and of that collection itself.
func allocated() (objects, bytes, oursObjects, oursBytes uint64) {
	// Ours first: a total without some of them would count as the program's.
	oursObjects, oursBytes = load64(&ownObjects), load64(&ownBytes)
	objects, bytes = heapAllocated()
	return objects, bytes, oursObjects, oursBytes
}

// ended runs when main returns or os.Exit is called.
func ended() {
	// What the last mark found is known once all is swept, work that the program would be
	// spared. The census grows with the number of records: it is nothing at low rates.
	run := int64(elapsed())
	sweeping, counting := min(run/400, 20e6), min(run/20, 50e6)
	if tracing() { // which has a free where a span is swept
		sweeping, counting = 10e9, 10e9
	}
	sweep(sweeping)
	if observer == format.ObserverCleanup {
		flushCleanups()
	}
	lastCensus(counting)
	store(file.u32(format.HeaderEnd), format.EndExit)
	timeline(format.CauseEnd)
	stopTrace()
}

// writeError writes for the runtime, which does so for print and println and when it says what
// the program dies of: an unrecovered panic in any goroutine, or a fatal error. The runtime
// may be in any state then, so no more is done than to store the word.
//
//go:nosplit
//go:norace
func writeError(fd uintptr, p unsafe.Pointer, n int32) int32 {
	if panicking() {
		*file.u32(format.HeaderEnd) = format.EndPanic
	}
	return write1(fd, p, n)
}
