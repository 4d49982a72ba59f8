// Package lifetime computes how long objects live from the records of a profile.
//
// Records are samples: each stands for Weight objects, and all figures are estimates of
// what a record of every object would have given.
package lifetime

import (
	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
)

// A Summary is a profile reduced to figures.
type Summary struct {
	Duration int64  // length of the run in ns, see profile.Profile.Duration
	Cycles   uint32 // mark phases started

	Total  Sum     // over all records
	Groups []Group // in no particular order, none without records

	// Heap is what the runtime counted up to the last timeline entry, without what FiLiP
	// allocated; Own is what FiLiP allocated.
	Heap, Own Count

	// Live is how many bytes of the heap the last mark of the run found live; GCCPU is the ns
	// of CPU time that the GC took.
	Live  uint64
	GCCPU int64

	// Seen estimates what instrumented sites allocated up to the last timeline entry.
	Seen Seen
}

// A Count is a number of heap objects and of their bytes.
type Count struct{ Objects, Bytes uint64 }

// Seen is an estimated number of heap objects and of their bytes.
type Seen struct{ Objects, Bytes float64 }

// Coverage is the share of the program's heap objects that instrumented sites allocated,
//
//	Seen.Objects / Heap.Objects.
//
// As an estimate over an exact count it may come out above 1. ok is false where the profile
// has no count.
func (s *Summary) Coverage() (share float64, ok bool) { return ratio(s.Seen.Objects, s.Heap.Objects) }

// CoverageBytes is as Coverage, of bytes.
func (s *Summary) CoverageBytes() (share float64, ok bool) { return ratio(s.Seen.Bytes, s.Heap.Bytes) }

func ratio(part float64, whole uint64) (float64, bool) {
	if whole == 0 {
		return 0, false
	}
	return part / float64(whole), true
}

// Summarize computes the figures of p, with the sites for which keep returns true in
// groups; a nil keep keeps all. Only Groups depend on by and keep.
func Summarize(p *profile.Profile, by By, keep func(*format.Site) bool) *Summary {
	s := &Summary{Duration: p.Duration()}
	last, _ := p.Last()
	s.Cycles = last.Cycle
	s.Own = Count{last.OwnObjects, last.OwnBytes}
	s.Heap = Count{minus(last.Objects, last.OwnObjects), minus(last.Bytes, last.OwnBytes)}
	s.Live, s.GCCPU = last.Live, last.GCCPU

	sums := make([]Sum, len(p.Sites))
	for i := range p.Records {
		r := &p.Records[i]
		sums[r.Site].add(r, s.Duration)
		s.Cycles = max(s.Cycles, r.BirthCycle, r.DeathCycle)
		if r.Birth <= last.Time {
			s.Seen.Objects += float64(r.Weight)
			s.Seen.Bytes += float64(r.Weight) * float64(r.Bytes)
		}
	}
	for i := range sums {
		s.Total.merge(sums[i])
		if keep != nil && !keep(&p.Sites[i]) {
			sums[i] = Sum{}
		}
	}
	if by == ByStack {
		s.Groups = groupStacks(p, sums, s.Duration)
	} else {
		s.Groups = group(p.Sites, sums, by)
	}
	return s
}

// minus is a-b, or 0 where the two counts, read one after the other, contradict each other.
func minus(a, b uint64) uint64 {
	if b > a {
		return 0
	}
	return a - b
}
