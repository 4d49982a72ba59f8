package profile

import (
	"cmp"
	"errors"
	"slices"

	"github.com/filip-go/filip/format"
)

var errTime = errors.New("entry has a time that no run reaches")

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
	if f.short {
		return errShort
	}
	if f.outside {
		return errTime
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
	if f.short {
		return errShort
	}
	if f.outside {
		return errTime
	}
	return nil
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
	var ends []int64 // by cycle, from first
	var first uint32
	known := slices.DeleteFunc(slices.Clone(p.Cycles), func(c Cycle) bool { return c.End == 0 })
	last := p.Duration()
	if len(known) > 0 && known[len(known)-1].Number-known[0].Number < 1<<24 {
		first = known[0].Number
		ends = make([]int64, known[len(known)-1].Number-first+1)
		next := len(known) - 1
		for i := len(ends) - 1; i >= 0; i-- {
			if next > 0 && known[next-1].Number >= first+uint32(i) {
				next--
			}
			ends[i] = known[next].End
		}
	}
	for i := range p.Records {
		r := &p.Records[i]
		if !r.Dead {
			continue
		}
		r.Death = last
		switch {
		case len(ends) == 0 || r.DeathCycle >= first+uint32(len(ends)):
		case r.DeathCycle < first:
			r.Death = ends[0]
		default:
			r.Death = ends[r.DeathCycle-first]
		}
		// The mark may have ended between the birth and the reading of the clock for it.
		r.Death = max(r.Death, r.Birth)
	}
}
