package lifetime

import (
	"slices"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
)

// A Cycle is a cycle of the collector, with the figures that depend on the cycle before.
type Cycle struct {
	*profile.Cycle

	// Noted: the cycle was noted down. Otherwise only its census was, and nothing but the figures
	// of that is known.
	Noted bool

	// Allocated is what the program had allocated since it started when the cycle had ended,
	// without what FiLiP allocated.
	Allocated Count

	// CPU is what this cycle alone took; HasCPU is false where that is not known, because the
	// cycle before was not noted down.
	CPU    CPU
	HasCPU bool
}

// CPU is CPU time of the collector in ns, of all threads together.
type CPU struct {
	Assist     int64 // marking by goroutines that allocate
	Background int64 // the mark's own workers
	Idle       int64 // marking on Ps that had nothing else to do
	Total      int64 // these, and the pauses on all Ps
}

// MarkTime is the time from the start to the end of the mark in ns.
func (c *Cycle) MarkTime() (ns int64, ok bool) {
	return c.MarkEnd - c.Mark, c.Mark > 0 && c.MarkEnd >= c.Mark
}

// HeapGoal is the heap size in bytes at which the next mark is to have ended. With GOGC=off and no
// memory limit there is none.
func (c *Cycle) HeapGoal() (bytes uint64, ok bool) { return c.Goal, c.Goal > 0 && c.Goal < 1<<62 }

// HasCensus reports whether the cycle's census is complete.
func (c *Cycle) HasCensus() bool { return c.CensusEnd > 0 }

// Cycles are the cycles of p, by number.
func Cycles(p *profile.Profile) []Cycle {
	cycles := make([]Cycle, len(p.Cycles))
	var before CPU // up to the end of cycle number, if that is known
	number, known := uint32(0), true
	for i := range p.Cycles {
		c := Cycle{Cycle: &p.Cycles[i]}
		if c.Noted = c.At.Cause == format.CauseGC; c.Noted {
			c.Allocated = Count{minus(c.At.Objects, c.At.OwnObjects), minus(c.At.Bytes, c.At.OwnBytes)}
		}
		now := CPU{c.Assist, c.Background, c.Idle, c.At.GCCPU}
		if known && c.Number == number+1 && now.Total > before.Total {
			c.CPU, c.HasCPU = now.minus(before), true
		}
		before, number, known = now, c.Number, now.Total > 0
		cycles[i] = c
	}
	return cycles
}

func (c CPU) minus(d CPU) CPU {
	return CPU{max(c.Assist-d.Assist, 0), max(c.Background-d.Background, 0), max(c.Idle-d.Idle, 0), c.Total - d.Total}
}

// A Collection is the work of the collector in a run, in figures.
type Collection struct {
	Noted  int // cycles noted down
	Forced int // of these, forced by runtime.GC, debug.FreeOSMemory or FILIP_GC

	Pauses Times // ns for which a cycle stopped the world
	Marks  Times // ns from the start to the end of a mark

	// CPU is that of all cycles; HasSplit is false where only its Total is known, and where that
	// is 0 nothing.
	CPU      CPU
	HasSplit bool

	// Live is what the last mark found live, in bytes, 0 where it is not known; Goal is
	// HeapGoal after it.
	Live, Goal uint64
	HasGoal    bool

	// Between is the median of what the program allocated from the end of a cycle to that of
	// the next; HasBetween is false where no two such ends are known.
	Between    Count
	HasBetween bool

	Censuses      Times  // ns that a census took
	CensusStopped int64  // ns for which the world was stopped for all of them
	CensusRecords uint64 // records that all of them looked up
}

// Collect computes the figures of the collector's work in p. A profile without cycles, as an
// observer other than the census leaves it, has some of them in its timeline.
func Collect(p *profile.Profile) *Collection {
	c := new(Collection)
	if last, ok := p.Last(); ok {
		c.CPU.Total, c.Live = last.GCCPU, last.Live
	}
	cycles := Cycles(p)
	var pauses, marks, censuses []int64
	for i := range cycles {
		cycle := &cycles[i]
		if cycle.HasCensus() {
			censuses = append(censuses, cycle.CensusTime)
			c.CensusStopped += cycle.CensusStopped
			c.CensusRecords += cycle.CensusRecords
		}
		if !cycle.Noted {
			continue
		}
		c.Noted++
		if cycle.Forced {
			c.Forced++
		}
		if cycle.Pause > 0 {
			pauses = append(pauses, cycle.Pause)
		}
		if ns, ok := cycle.MarkTime(); ok {
			marks = append(marks, ns)
		}
		if cycle.At.GCCPU > 0 {
			c.CPU, c.HasSplit = CPU{cycle.Assist, cycle.Background, cycle.Idle, cycle.At.GCCPU}, true
		}
		if cycle.Marked > 0 {
			c.Live = cycle.Marked
			c.Goal, c.HasGoal = cycle.HeapGoal()
		}
	}
	c.Pauses, c.Marks, c.Censuses = newTimes(pauses), newTimes(marks), newTimes(censuses)
	c.Between, c.HasBetween = between(p.Timeline)
	return c
}

// between is the median of what was allocated from one timeline entry of a cycle to that of the
// next.
func between(timeline []profile.Tick) (Count, bool) {
	var objects, bytes []uint64
	var before profile.Tick
	for _, t := range timeline {
		if t.Cause != format.CauseGC {
			continue
		}
		if before.Cause == format.CauseGC && t.Cycle == before.Cycle+1 {
			objects = append(objects, minus(minus(t.Objects, t.OwnObjects), minus(before.Objects, before.OwnObjects)))
			bytes = append(bytes, minus(minus(t.Bytes, t.OwnBytes), minus(before.Bytes, before.OwnBytes)))
		}
		before = t
	}
	if len(bytes) == 0 {
		return Count{}, false
	}
	slices.Sort(objects)
	slices.Sort(bytes)
	return Count{median(objects), median(bytes)}, true
}

// Times are some times in figures, ns. N is how many they are; without any, all are 0.
type Times struct {
	N                      int
	Total, Median, Longest int64
}

func newTimes(ns []int64) Times {
	if len(ns) == 0 {
		return Times{}
	}
	slices.Sort(ns)
	t := Times{N: len(ns), Median: median(ns), Longest: ns[len(ns)-1]}
	for _, v := range ns {
		t.Total += v
	}
	return t
}

// median is the value in the middle of a sorted list that is not empty, or the mean of the two
// there.
func median[T int64 | uint64](sorted []T) T {
	n := len(sorted)
	a, b := sorted[(n-1)/2], sorted[n/2]
	return a + (b-a)/2
}
