//go:build filip_cycles

package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/sampler"
)

// The census observes deaths without the collector's help: after each mark, once all is swept
// and before the next mark begins, it looks up the mark bit of every tracked object. The
// record holds the object's address and the cycle of its birth. This is why it is right:
//
// Sweeping turns a span's mark bits into its allocation bits, and nothing changes these until the
// next sweep: neither allocation, which counts up in a copy of them, nor a free span that is used
// anew, whose bits are all 0. So while all is swept and no mark has begun, the bit of an
// address says whether the last mark found the object that was there before that mark.
//
// What was born after the end of mark n is not in its bits: it is left to the next census. Any
// other object was allocated during the mark, which marks it at once, or before it; its bit
// says whether it is alive. If it is not, its address may be another object's by now: the record
// is closed and never looked up again. Births are noted late, but while the object is held: one
// noted after the end of a mark is of an object that this mark found alive. (One noted during
// a mark may be of an object from before it, which this mark finds dead if it is dropped before
// the goroutine's stack is scanned.)
//
// No cycle may be missed, or an object that had died could be taken for the one that has its
// address since. A goroutine takes the census as soon as all is swept; what it has not done when
// the world is stopped for the next mark is done then (see filip_clearPools). It works in steps
// that are not preempted, so the world never stops in the middle of one.
//
// A record is looked up while it is alive only. Blocks of records that were handed out lately are
// young: they are looked through as a whole. Once a block is full and all its births are of
// earlier cycles it is old, and the bitmap in its header says which of its records are alive.

//go:linkname accessorUnmarked runtime.filip_unmarked
//go:noescape
func accessorUnmarked(words unsafe.Pointer, stride, shift uintptr, which uint32) (unmarked, n uint32)

const defaultObserver = format.ObserverCensus

var census censusState

type censusState struct {
	done  uint32 // the last cycle whose census is complete
	cycle uint32 // the one being taken, if it is not done
	busy  uint32

	// The young blocks are in a ring, each at most once, plus 1; 0 is a place that is being
	// written. Those handed out before the census began are head to end.
	young           unsafe.Pointer
	youngSize       uint64
	head, end, tail uint64

	// The old blocks are in an array. The first kept of them have been looked up and stay.
	old              unsafe.Pointer
	olds, next, kept uint64

	part   int
	counts censusCounts
	noted  pending[censusCounts]
}

// Parts of a census.
const (
	partOld = iota
	partYoung
	partAll // every block: only if the ring of young ones cannot be read
)

// censusCounts are the fields of a census entry.
type censusCounts struct {
	cycle                               uint32
	end, time, stopped, records, deaths uint64
}

// createCensus makes room for the lists of a profile of at most so many blocks; memory is used as
// it grows. It reports whether it did.
func createCensus(blocks uint64) bool {
	p := offHeap(3 * 4 * uintptr(blocks))
	if p == nil {
		return false
	}
	c := &census
	c.youngSize = 2 * blocks // twice, for the blocks that partAll puts there again
	c.young, c.old = p, unsafe.Add(p, 4*c.youngSize)
	return true
}

func place(list unsafe.Pointer, i uint64) *uint32 { return (*uint32)(unsafe.Add(list, 4*i)) }

// A blockHead is the header of a block of records. What follows the weight is ours.
type blockHead struct {
	kind   uint32
	weight float32
	flags  uint32
	alive  [(format.RecordsPerBlock + 31) / 32]uint32 // bit i: record i, if the block is old
}

// A block's flags. Young is set by whoever writes records.
const (
	blockYoung = 1 << iota // is in the ring, or will be in a moment
	blockOld               // is in the list of old ones
)

func (f *profileFile) head(block uint64) *blockHead {
	return (*blockHead)(unsafe.Add(f.base, f.block(block)))
}

// change clears and sets flags, and returns what they were.
func (h *blockHead) change(clear, set uint32) (old uint32) {
	for {
		old = load(&h.flags)
		if old&^clear|set == old || cas(&h.flags, old, old&^clear|set) {
			return old
		}
	}
}

// record is the record with index i of the block.
func (h *blockHead) record(i uint32) *record {
	return (*record)(unsafe.Add(unsafe.Pointer(h), format.RecordsStart+uintptr(i)*format.RecordSize))
}

// watchBlock has a block looked through by the next census: it is about to take records, or
// has taken one.
func watchBlock(block uint64) {
	c := &census
	if c.young == nil || file.head(block).change(0, blockYoung)&blockYoung != 0 {
		return
	}
	i := xadd64(&c.tail, 1) - 1
	store(place(c.young, i%c.youngSize), uint32(block)+1)
}

// takeCensus takes a step of the last cycle's census. It is called by inCycle.
func takeCensus() {
	if cas(&census.busy, 0, 1) {
		if n := gcCompleted(); n != census.done {
			census.step(n, false)
		}
		store(&census.busy, 0)
	}
}

// finish takes the rest of a cycle's census, with the world stopped.
func (c *censusState) finish(n uint32) {
	for c.done != n {
		c.step(n, true)
	}
}

// smallBlocks is how many blocks can be left to the moment before the next mark: at low rates objects
// are far apart, and looking one up takes up to 100 ns.
const smallBlocks = 4

func (c *censusState) large() bool { return c.olds+load64(&c.tail)-c.head > smallBlocks }

// stepBlocks is how many blocks are looked at in a step: some 50 µs.
const stepBlocks = 32

func (c *censusState) step(n uint32, stopped bool) {
	start := nanotime()
	if c.cycle != n {
		if missed := n - c.done - 1; missed != 0 {
			xadd(file.u32(format.HeaderMissed), int32(missed))
		}
		c.cycle = n
		c.part, c.next, c.kept = partOld, 0, 0
		c.end = load64(&c.tail)
		c.counts = censusCounts{cycle: n}
	}
	done := false
	for i := 0; i < stepBlocks && !done; i++ {
		done = c.lookAtBlock()
	}
	now := nanotime()
	c.counts.time += uint64(now - start)
	if stopped {
		c.counts.stopped += uint64(now - start)
	}
	if done {
		c.counts.end = uint64(now - startTime)
		c.noted.note(c.counts)
		store(file.u32(format.HeaderCensus), n)
		store(&c.done, n)
	}
}

// lookAtBlock looks at the next block, and reports whether there is none.
func (c *censusState) lookAtBlock() (done bool) {
	switch c.part {
	case partOld:
		if c.next == c.olds {
			c.olds = c.kept
			c.part = partYoung
			return false
		}
		block := *place(c.old, c.next)
		c.next++
		if c.lookUp(uint64(block)) {
			*place(c.old, c.kept) = block
			c.kept++
		}
	case partYoung:
		if c.head == c.end {
			return true
		}
		p := place(c.young, c.head%c.youngSize)
		block := load(p)
		if block == 0 {
			// Whoever writes it has been stopped. The block may be any.
			c.part, c.next = partAll, 0
			return false
		}
		store(p, 0)
		c.head++
		c.lookThrough(uint64(block) - 1)
	case partAll:
		if c.next >= load64(&file.blocks) {
			return true
		}
		if load(&file.head(c.next).kind) == format.BlockRecords {
			c.lookThrough(c.next)
		}
		c.next++
	}
	return false
}

// lookUp looks up the records of an old block that are alive, and reports whether some are still.
func (c *censusState) lookUp(block uint64) bool {
	h := file.head(block)
	left := uint32(0)
	for w := range h.alive {
		if h.alive[w] != 0 {
			h.alive[w] = c.alive(h, uint32(w), h.alive[w])
			left |= h.alive[w]
		}
	}
	if left == 0 {
		h.change(blockOld, 0)
	}
	return left != 0
}

// lookThrough looks up all records of a block. It becomes old unless there will be more of it
// to see: records that are not written yet, or births of this cycle.
func (c *censusState) lookThrough(block uint64) {
	h := file.head(block)
	h.change(blockYoung, 0) // first: who writes a record from now on has it looked at again
	level := load(file.u32(format.HeaderLevel))
	var alive [len(h.alive)]uint32
	again := false
	for i := range uint32(format.RecordsPerBlock) {
		r := h.record(i)
		switch state := load(&r.state); state & format.StateMask {
		case format.StateFree, format.StateClaimed:
			again = true
		case format.StateAlive:
			if r.later(c.cycle) {
				again = true
			} else if state>>format.StateLevelShift&format.StateLevelMask >= level {
				alive[i/32] |= 1 << (i % 32)
			}
		}
	}
	some := false
	for w := range alive {
		alive[w] = c.alive(h, uint32(w), alive[w])
		some = some || alive[w] != 0
	}
	if again {
		watchBlock(block)
	}
	switch old := load(&h.flags)&blockOld != 0; {
	case old:
		h.alive = alive
	case some && !again:
		h.alive = alive
		h.change(0, blockOld)
		*place(c.old, c.olds) = uint32(block)
		c.olds++
	}
}

// alive returns which objects are alive of 32 records from 32*w of a block, all born before the end
// of the cycle's mark. Of the others the records are closed.
func (c *censusState) alive(h *blockHead, w, which uint32) uint32 {
	first := h.record(32 * w)
	unmarked, n := accessorUnmarked(unsafe.Pointer(&first.end), format.RecordSize, format.RecordShift, which)
	c.counts.records += uint64(n)
	for dead := unmarked; dead != 0; dead &= dead - 1 {
		r := h.record(32*w + sampler.Lowest(dead))
		state := load(&r.state)
		if state&format.StateMask != format.StateAlive || r.later(c.cycle) {
			continue // the record has been given to another object
		}
		r.deathCycle = c.cycle
		// Where it is given to another just now, that is not dead.
		if cas(&r.state, state, state|format.StateDead) {
			c.counts.deaths++
		}
	}
	return which &^ unmarked
}

// later reports whether an object was born after the end of a cycle's mark.
func (r *record) later(cycle uint32) bool {
	if r.state&format.StateMarking != 0 {
		return r.birthCycle > cycle
	}
	return r.birthCycle >= cycle
}

// lastCensus sees to the deaths that the last mark found, for at most ns.
func lastCensus(ns int64) {
	until := nanotime() + ns
	for n := gcCompleted(); observer == format.ObserverCensus && load(&census.done) != n && nanotime() < until; {
		if inCycle(n, true, takeCensus) != cycleRan {
			break
		}
	}
	writeCycles()
}

func writeCensus(c censusCounts) bool {
	e, ok := file.newEntry(format.EntryCensus, format.CensusSize)
	if !ok {
		return false
	}
	e.u32(c.cycle)
	e.u32(0)
	e.u64(c.end)
	e.u64(c.time)
	e.u64(c.stopped)
	e.u64(c.records)
	e.u64(c.deaths)
	e.commit()
	return true
}
