package lifetime

import "github.com/filip-go/filip/profile"

// A Sum adds up records. The zero Sum is that of no records. All fields but Samples count
// objects of the program, not samples: each record adds its weight.
type Sum struct {
	Samples   int     // records
	Objects   float64 // Σ w
	Bytes     float64 // Σ w·bytes
	Shared    float64 // Σ w over records of objects that share a 16-byte block with others
	Survivors float64 // Σ w over records alive when the run ended
	lived     float64 // Σ w·lifetime in ns
}

// add adds a record of a run of the given length in ns.
func (s *Sum) add(r *profile.Record, duration int64) {
	w := float64(r.Weight)
	s.Samples++
	s.Objects += w
	s.Bytes += w * float64(r.Bytes)
	if r.Shared {
		s.Shared += w
	}
	if r.Dead {
		s.lived += w * float64(r.Death-r.Birth)
	} else {
		s.Survivors += w
		s.lived += w * float64(max(duration-r.Birth, 0))
	}
}

// merge adds what t added up.
func (s *Sum) merge(t Sum) {
	s.Samples += t.Samples
	s.Objects += t.Objects
	s.Bytes += t.Bytes
	s.Shared += t.Shared
	s.Survivors += t.Survivors
	s.lived += t.lived
}

// MeanLifetime is the weighted mean of the lifetimes in ns,
//
//	Σ w·lifetime / Σ w,
//
// over all records. A survivor counts as dying at the end of the run, as in the ISMM'24
// paper, so the mean is too low where objects survive. A death counts from when it was
// observed, so the mean is too high by up to a GC cycle; and an object that shares a block
// dies with the last of that block. ok is false where there are no records to take the mean of.
func (s Sum) MeanLifetime() (ns float64, ok bool) {
	if !(s.Objects > 0) {
		return 0, false
	}
	return s.lived / s.Objects, true
}

// RelativeLifetime is MeanLifetime as a share of the length of the run in ns, 0 to 1.
func (s Sum) RelativeLifetime(duration int64) (share float64, ok bool) {
	mean, ok := s.MeanLifetime()
	if !ok || duration <= 0 {
		return 0, false
	}
	return min(mean/float64(duration), 1), true
}

// ShortLived is the greatest mean relative lifetime of what is short-lived, as in the ISMM'24 paper.
const ShortLived = 0.05

// A Class says how long objects live.
type Class string

// The classes of the paper, and that of what has no known lifetime.
const (
	Short   Class = "short-lived" // mean relative lifetime of ShortLived or less
	Long    Class = "long-lived"  // more
	Unknown Class = "unknown"     // there are no records, or the run has no length
)

// Class is the class by RelativeLifetime.
func (s Sum) Class(duration int64) Class {
	share, ok := s.RelativeLifetime(duration)
	switch {
	case !ok:
		return Unknown
	case share <= ShortLived:
		return Short
	}
	return Long
}
