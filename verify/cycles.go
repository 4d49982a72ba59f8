package verify

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
)

// markEnd notes the end of a mark phase. The trace does not number them: the first is known by
// its time, and the others follow.
func (c *comparison) markEnd(e Event) {
	if c.cycle == 0 {
		c.cycle = c.firstCycle(e.Time) - 1
		c.base = c.cycle + 1
	}
	c.cycle++
	c.ends = append(c.ends, e)
}

// firstCycle is the number of the mark phase that ended at a time, the first of the trace.
func (c *comparison) firstCycle(time int64) uint32 {
	number, best := uint32(0), int64(-1)
	for _, cycle := range c.p.Cycles {
		if cycle.MarkEnd == 0 {
			continue
		}
		// It ended while the world was stopped, which may take longer than the next cycle.
		if d := max(cycle.MarkEnd-time, time-max(cycle.MarkEnd, cycle.End), 0); best < 0 || d < best {
			number, best = cycle.Number, d
		}
	}
	if best >= 0 {
		return max(number, 1)
	}
	var started uint32 // by the start of the profile
	if len(c.p.Timeline) > 0 {
		started = c.p.Timeline[0].Cycle
	}
	if c.active {
		return max(started, 1)
	}
	return started + 1
}

func (c *comparison) cycleOf(number uint32) *profile.Cycle {
	i, ok := slices.BinarySearchFunc(c.p.Cycles, number, func(cycle profile.Cycle, n uint32) int { return cmp.Compare(cycle.Number, n) })
	if !ok {
		return nil
	}
	return &c.p.Cycles[i]
}

// swept is the last cycle whose dead are all swept in the trace. At a clean end, after the
// timeline's entry of it, the program sweeps all of those that have ended.
func (c *comparison) swept() uint32 {
	var end int64
	for _, t := range c.p.Timeline {
		if t.Cause == format.CauseEnd {
			end = t.Time
		}
	}
	for i := len(c.ends) - 1; i >= 0; i-- {
		if c.ends[i].Time < end {
			return c.base + uint32(i)
		}
	}
	return 0
}

// checkCycles compares the times at which mark phases ended.
func (c *comparison) checkCycles() {
	r := &c.result
	r.Cycles = uint64(len(c.ends))
	for i, end := range c.ends {
		number := c.base + uint32(i)
		known := c.cycleOf(number)
		if known == nil || known.MarkEnd == 0 || known.End == 0 {
			continue // not noted down: nothing is stated
		}
		// The trace has the end between the two stops of the clock, in steps of 64 ns.
		agrees := known.MarkEnd-64 <= end.Time && (end.Late || end.Time <= known.End+maxAhead)
		r.CycleTimes.add(agrees)
		if !agrees {
			r.Classes[WrongTime]++
			if r.FirstCycle == "" {
				r.FirstCycle = fmt.Sprintf("cycle %d ended between %d and %d ns, for the runtime at %d ns", number, known.MarkEnd, known.End, end.Time)
			}
		}
	}
}
