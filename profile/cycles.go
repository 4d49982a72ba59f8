package profile

import (
	"cmp"
	"slices"

	"github.com/filip-go/filip/format"
)

func (d *decoder) cycle(f fields) error {
	number, flags := f.u32(), f.u32()
	c := d.cycleOf(number)
	c.Forced = flags&format.GCForced != 0
	c.Start, c.Mark, c.MarkEnd, c.End, c.Pause = f.ns(), f.ns(), f.ns(), f.ns(), f.ns()
	c.HeapStart, c.HeapEnd, c.Marked, c.Goal = f.u64(), f.u64(), f.u64(), f.u64()
	c.Assist, c.Background, c.Idle = f.ns(), f.ns(), f.ns()
	cpu := f.ns()
	c.At = Tick{
		Time:       f.ns(),
		Cause:      format.CauseGC,
		Cycle:      number,
		Objects:    f.u64(),
		Bytes:      f.u64(),
		Live:       c.Marked,
		GCCPU:      cpu,
		OwnObjects: f.u64(),
		OwnBytes:   f.u64(),
	}
	if err := f.err(); err != nil {
		return err
	}
	d.p.Timeline = append(d.p.Timeline, c.At)
	return nil
}

func (d *decoder) census(f fields) error {
	number := f.u32()
	f.u32()
	c := d.cycleOf(number)
	c.CensusEnd, c.CensusTime, c.CensusStopped = f.ns(), f.ns(), f.ns()
	c.CensusRecords, c.CensusDeaths = f.u64(), f.u64()
	return f.err()
}

// cycleOf is the cycle with a number, which several entries tell of.
func (d *decoder) cycleOf(number uint32) *Cycle {
	if d.cycles == nil {
		d.cycles = make(map[uint32]*Cycle)
	}
	c := d.cycles[number]
	if c == nil {
		c = &Cycle{Number: number}
		d.cycles[number] = c
	}
	return c
}

// finishCycles puts the cycles in order.
func (d *decoder) finishCycles() {
	for _, c := range d.cycles {
		d.p.Cycles = append(d.p.Cycles, *c)
	}
	slices.SortFunc(d.p.Cycles, func(a, b Cycle) int { return cmp.Compare(a.Number, b.Number) })
}

// dateDeaths dates the deaths that a census has found, each at the end of the mark that found
// it. Where that cycle was not noted down, the next one's is the bound that is known, or else the
// end of the run.
func (d *decoder) dateDeaths() {
	p := d.p
	if p.Observer != format.ObserverCensus {
		return
	}
	var numbers []uint32
	var ends []int64 // one more than numbers: that of the run
	for i := range p.Cycles {
		if c := &p.Cycles[i]; c.End != 0 {
			numbers = append(numbers, c.Number)
			ends = append(ends, c.End)
		}
	}
	ends = append(ends, p.Duration())
	// Nearly always no cycle is missing, and the one found last tells where each is. (For 5 million
	// records that takes 20 ms, a search for each 50 to 350.)
	var zeroth uint32 // number that a cycle at index 0 would have
	for i := range p.Records {
		r := &p.Records[i]
		if !r.Dead {
			continue
		}
		at := uint(r.DeathCycle - zeroth)
		if at >= uint(len(numbers)) || numbers[at] != r.DeathCycle {
			next, _ := slices.BinarySearch(numbers, r.DeathCycle)
			at, zeroth = uint(next), r.DeathCycle-uint32(next)
		}
		// The mark may have ended between the birth and the reading of the clock for it.
		r.Death = max(ends[at], r.Birth)
	}
}
