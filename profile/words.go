package profile

import "github.com/filip-go/filip/format"

// Design is how objects were picked: one of the format.Design constants.
type Design uint32

// String is the design as FILIP_SAMPLER names it, "unknown" for one of a later writer.
func (d Design) String() string {
	switch d {
	case format.DesignGeometric:
		return "geometric"
	case format.DesignEvery:
		return "every"
	}
	return "unknown"
}

// Observer is how deaths were noticed: one of the format.Observer constants.
type Observer uint32

// String is the observer's name, "unknown" for one of a later writer.
func (o Observer) String() string {
	switch o {
	case format.ObserverCleanup:
		return "cleanup"
	case format.ObserverCensus:
		return "census"
	}
	return "unknown"
}

// End is how a run ended: one of the format.End constants.
type End uint32

// String is "exit", "panic" or "unknown": still running, or ended without a word.
func (e End) String() string {
	switch e {
	case format.EndExit:
		return "exit"
	case format.EndPanic:
		return "panic"
	}
	return "unknown"
}

// Cause is why a timeline entry was made: one of the format.Cause constants.
type Cause uint32

// String is "start", "gc", "tick", "end", or "unknown" for one of a later writer.
func (c Cause) String() string {
	switch c {
	case format.CauseStart:
		return "start"
	case format.CauseGC:
		return "gc"
	case format.CauseTick:
		return "tick"
	case format.CauseEnd:
		return "end"
	}
	return "unknown"
}
