// Package verify compares a profile with the runtime's own trace of the same run, object by
// object: the events that the runtime writes when it allocates an object and when it sweeps a
// dead one. Both tell of the same objects and know nothing of each other, so what they agree on is
// so.
//
// An object is known by its address and the time of its birth. A slot of the heap is
// given to another object only after a mark phase found the one before dead, so by the time of
// the next birth there it is clear which of the slot's objects a record means, however much
// later than its allocation a birth was noted.
package verify

import (
	"errors"
	"iter"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
)

// A Class is a way in which a profile and a trace can contradict each other.
type Class int

// Classes of disagreement.
const (
	NoAllocation Class = iota // a birth, but no allocation at that address before it
	WrongSize                 // the slot has another size
	NotFreed                  // a death, but the object was never freed
	StillAlive                // freed, but alive in the profile, which had looked at it since
	WrongCycle                // found dead by another mark phase
	WrongTime                 // a mark phase that ended at another time, or is missing
	NumClasses
)

// String is the class as it stands in the text.
func (c Class) String() string {
	return [NumClasses]string{"birth without allocation", "size differs", "dead, but not freed", "freed, but alive", "died in another cycle", "GC cycle differs"}[c]
}

// A Result is what the comparison of a profile with a trace found.
type Result struct {
	Profile *profile.Profile `json:"-"`
	Objects bool             // compared object by object; else only counted by type

	Allocations, Frees uint64 // events of the runtime
	AllocatedBytes     uint64 // of the slots
	OwnObjects         uint64 // of Allocations, those that FiLiP made
	OwnBytes           uint64
	Cycles             uint64 // mark phases that ended during the trace

	Matched      uint64 // allocations that have a record
	MatchedBytes uint64

	Births, Deaths, Survivors Agreement
	CycleTimes                Agreement
	FirstCycle                string // the first that disagrees
	Unchecked                 uint64 // records born or dead after the end of the trace
	Classes                   [NumClasses]uint64

	Types  []*Type   // by name, ours
	Unseen []*Unseen // allocations without a record, by the runtime's name
}

// An Agreement is how many of a profile's statements the trace confirms.
type Agreement struct {
	Agree uint64 `json:"agree"`
	Of    uint64 `json:"of"`
}

func (a *Agreement) add(agrees bool) {
	a.Of++
	if agrees {
		a.Agree++
	}
}

// A Type is what was found for the records of one type.
type Type struct {
	Name                      string
	Births, Deaths, Survivors Agreement
	Classes                   [NumClasses]uint64
	First                     [NumClasses]*Example
}

// An Example is one record that the trace contradicts.
type Example struct {
	Addr  uint64 `json:"address"`
	Birth int64  `json:"birth_ns"`
	Site  string `json:"site"`
	What  string `json:"what"` // the two statements
}

// An Unseen type is one of the runtime's, with its allocations that have no record.
type Unseen struct {
	Name    string `json:"type"`
	Objects uint64 `json:"objects"`
	Bytes   uint64 `json:"bytes"`

	allocations, frees uint64 // all of the type
}

// Disagreements is the number of statements of the profile that the trace contradicts.
func (r *Result) Disagreements() uint64 {
	var n uint64
	for _, c := range r.Classes {
		n += c
	}
	return n
}

// Compare compares a profile with the runtime's events of the same run, to its end. The events are
// read one by one.
func Compare(p *profile.Profile, events iter.Seq2[Event, error]) (*Result, error) {
	if p.Mono == 0 {
		return nil, errors.New("the profile does not tell its clock: rebuild the program with this filip-inst")
	}
	c := newComparison(p)
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		c.event(e)
	}
	c.finish()
	return &c.result, nil
}

// objects reports whether records have addresses.
func objects(p *profile.Profile) bool { return p.Observer == format.ObserverCensus }
