//go:build ignore

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// What FiLiP's collector needs to follow the cycles of the garbage collector, appended to
// package runtime of Go 1.25 and 1.26 beside the accessors.

// filip_cycles has what filip_watchCycles was given.
var filip_cycles struct {
	before func()
	after  func(cycle uint32)
	pools  func() // what runs first: sync's own cleanup
	inside bool
}

// filip_watchCycles has before called whenever the world is stopped before a mark, when all
// is swept and the allocation bits still say what the last mark found; and after, by a goroutine
// of the runtime, when a mark has ended.
//
//go:linkname filip_watchCycles
func filip_watchCycles(before func(), after func(cycle uint32)) {
	filip_cycles.before, filip_cycles.after = before, after
	filip_hookPools()
	go filip_runCycles()
}

// filip_hookPools puts us before the function that clears the pools at the start of a cycle,
// which others register, too: sync when it is initialised, and some modules that have pools. It
// reports whether one has.
//
//go:linkname filip_hookPools
func filip_hookPools() bool {
	ours := filip_clearPools
	if f := poolcleanup; *(*unsafe.Pointer)(unsafe.Pointer(&f)) != *(*unsafe.Pointer)(unsafe.Pointer(&ours)) {
		filip_cycles.pools = f
		poolcleanup = ours
	}
	return filip_cycles.pools != nil
}

// filip_clearPools runs in clearpools, with the world stopped.
func filip_clearPools() {
	c := &filip_cycles
	if c.inside {
		return // what is registered now calls what was before
	}
	c.inside = true
	c.before()
	if c.pools != nil {
		c.pools()
	}
	c.inside = false
}

func filip_runCycles() {
	for {
		gcWaitOnMark(filip_gcCompleted() + 1)
		filip_hookPools()
		filip_cycles.after(filip_gcCompleted())
	}
}

// States of a cycle; see filip_inCycle.
const (
	filip_cycleOver = iota // the next one has begun
	filip_cycleSweeping
	filip_cycleRan
)

// filip_inCycle calls f if the cycle is the last whose mark has ended and no other has begun;
// if swept, all is to be swept, too. No cycle can begin before f returns. It allows no preemption
// either, so f is to be quick.
//
//go:linkname filip_inCycle
func filip_inCycle(cycle uint32, swept bool, f func()) (state int) {
	mp := acquirem()
	switch {
	case work.cycles.Load() != cycle || filip_gcCompleted() != cycle:
		state = filip_cycleOver
	case swept && !isSweepDone():
		state = filip_cycleSweeping
	default:
		f()
		state = filip_cycleRan
	}
	releasem(mp)
	return state
}

// filip_unmarked looks up the objects whose addresses are in words that are stride bytes apart,
// above the low bits to shift out; which says which of 32. It returns those that the last mark did
// not find, if they were allocated before its end, and how many it looked up. To be
// called when all is swept and no mark has begun: a span's allocation bits then are its mark bits,
// whatever has been allocated there since.
//
//go:linkname filip_unmarked
func filip_unmarked(words unsafe.Pointer, stride, shift uintptr, which uint32) (unmarked, n uint32) {
	var s *mspan // of the object before, mostly that of the next, too
	for ; which != 0; which &= which - 1 {
		n++
		i := sys.TrailingZeros32(which)
		p := uintptr(*(*uint64)(add(words, uintptr(i)*stride)) >> shift)
		if s == nil || p < s.base() || p >= s.limit {
			s = spanOf(p)
			if s != nil && (s.state.get() != mSpanInUse || p < s.base() || p >= s.limit) {
				s = nil
			}
		}
		if s != nil {
			if j := s.objIndex(p); j < uintptr(s.nelems) && *s.allocBits.bytep(j / 8)&(1<<(j%8)) != 0 {
				continue
			}
		}
		unmarked |= 1 << i
	}
	return unmarked, n
}

// filip_cycle is what is known of a cycle. Times are those of nanotime, sizes in bytes, CPU
// times ns since the start of the program.
type filip_cycle struct {
	number                                      uint32
	forced                                      uint32
	start, mark, markEnd, end, pause            int64
	heapStart, heapEnd, marked, goal            uint64
	assistCPU, backgroundCPU, idleCPU, totalCPU int64
}

// filip_cycleStart sets what is known of a cycle when the world is stopped before its mark.
//
//go:linkname filip_cycleStart
func filip_cycleStart(c *filip_cycle) {
	c.forced = 0
	if work.userForced {
		c.forced = 1
	}
	c.start, c.heapStart = work.tSweepTerm, work.heap0
}

// filip_cycleEnd sets what is known of the last cycle once its mark has ended. No other may have
// begun.
//
//go:linkname filip_cycleEnd
func filip_cycleEnd(c *filip_cycle) {
	c.number = filip_gcCompleted()
	c.mark, c.markEnd, c.end = work.tMark, work.tMarkTerm, work.tEnd
	c.pause = int64(memstats.pause_ns[(c.number-1)%uint32(len(memstats.pause_ns))])
	c.heapEnd, c.marked, c.goal = work.heap1, work.heap2, gcController.heapGoal()
	s := &work.cpuStats
	c.assistCPU, c.backgroundCPU, c.idleCPU, c.totalCPU = s.GCAssistTime, s.GCDedicatedTime, s.GCIdleTime, s.GCTotalTime
}

// filip_rest sleeps for ns.
//
//go:linkname filip_rest
func filip_rest(ns int64) { timeSleep(ns) }
