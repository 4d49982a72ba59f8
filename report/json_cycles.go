package report

import (
	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
)

// documentCycle is a cycle of the collector in the JSON report. Objects and bytes are those that
// the program had allocated since its start, CPU times those of the cycle alone.
type documentCycle struct {
	Number     uint32  `json:"number"`
	Forced     *bool   `json:"forced"`
	Start      *int64  `json:"start_ns"` // the world is asked to stop, before the mark
	Mark       *int64  `json:"mark_ns"`  // the mark begins
	MarkEnd    *int64  `json:"mark_end_ns"`
	End        *int64  `json:"end_ns"` // the world goes on
	Pause      *int64  `json:"pause_ns"`
	HeapStart  *uint64 `json:"heap_start_bytes"`
	HeapEnd    *uint64 `json:"heap_end_bytes"`
	HeapMarked *uint64 `json:"heap_marked_bytes"`
	HeapGoal   *uint64 `json:"heap_goal_bytes"`
	Noted      *int64  `json:"noted_ns"` // when objects and bytes were read
	Objects    *uint64 `json:"objects"`
	Bytes      *uint64 `json:"bytes"`
	Assist     *int64  `json:"assist_cpu_ns"`
	Background *int64  `json:"background_cpu_ns"`
	Idle       *int64  `json:"idle_cpu_ns"`
	CPU        *int64  `json:"cpu_ns"` // of these and the pauses
	Census     *int64  `json:"census_ns"`
	Stopped    *int64  `json:"census_stopped_ns"`
	Records    *uint64 `json:"census_records"`
	Deaths     *uint64 `json:"census_deaths"`
}

func documentCycles(p *profile.Profile) []documentCycle {
	list := []documentCycle{}
	for _, c := range lifetime.Cycles(p) {
		d := documentCycle{
			Number: c.Number,
			Start:  positive(c.Start), Mark: positive(c.Mark), MarkEnd: positive(c.MarkEnd), End: positive(c.End), Pause: positive(c.Pause),
			HeapStart: positive(c.HeapStart), HeapEnd: positive(c.HeapEnd), HeapMarked: positive(c.Marked),
			Noted: positive(c.At.Time),
		}
		if goal, ok := c.HeapGoal(); ok {
			d.HeapGoal = &goal
		}
		if c.Noted {
			d.Forced, d.Objects, d.Bytes = &c.Forced, &c.Allocated.Objects, &c.Allocated.Bytes
		}
		if c.HasCPU {
			d.Assist, d.Background, d.Idle, d.CPU = &c.CPU.Assist, &c.CPU.Background, &c.CPU.Idle, &c.CPU.Total
		}
		if c.HasCensus() {
			d.Census, d.Stopped, d.Records, d.Deaths = &c.CensusTime, &c.CensusStopped, &c.CensusRecords, &c.CensusDeaths
		}
		list = append(list, d)
	}
	return list
}

// positive is a pointer to v, or nil where v is 0, which in a cycle is "not known".
func positive[T int64 | uint64](v T) *T {
	if v == 0 {
		return nil
	}
	return &v
}
