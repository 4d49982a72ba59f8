package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/runtime"
	"github.com/filip-go/filip/sampler"
)

// record has the layout of a record in the file.
type record struct {
	birth      uint64 // and half of its site's id
	end        uint64 // and the other half
	stack      uint32
	birthCycle uint32
	deathCycle uint32
	state      uint32
}

// timeShift makes the times of records last for 208 days, in units of 64 ns.
const timeShift = 6

// recordTime is a time since the start as a record has it.
func recordTime(ns uint64) uint64 { return min(ns>>timeShift, format.RecordMax) << format.RecordShift }

var startTime int64

func elapsed() uint64 { return uint64(nanotime() - startTime) }

// born notes the birth of a sampled object and has its death watched.
func born(c *runtime.Counter, s *runtime.Sample, level uint32) {
	base, bytes, isTiny, cycle, marking, turn := findObject(s.Addr)
	if base == 0 {
		if s.Addr == 0 || s.Addr == uintptr(unsafe.Pointer(&zerobase)) {
			drop(format.DroppedZeroSize)
		} else {
			c.NoHeap++ // summed up with each timeline entry: at 1/1 this is the most frequent case
		}
		return
	}
	site := siteID(s)
	if site == 0 {
		drop(format.DroppedTables)
		return
	}
	state := uint32(format.StateAlive)
	if marking {
		state |= format.StateMarking
	}
	if isTiny {
		if size, shared := tinySize(s.Addr, base, s, site); shared {
			bytes = size
			state |= format.StateShared
			if observer == format.ObserverCleanup && !tinyCleanups {
				drop(format.DroppedCleanup)
				return
			}
		}
	}
	bytes += attached(s, base)
	stack := stackID()
	at, level, gen := claim(c, level)
	if at == 0 {
		return
	}
	r := at.record()
	r.birth = recordTime(birthTime(c, turn)) | uint64(site&format.RecordMask)
	r.end = uint64(site >> format.RecordShift)
	if observer == format.ObserverCensus {
		r.end |= uint64(s.Addr) << format.RecordShift
	}
	r.stack = stack
	r.birthCycle = cycle
	r.deathCycle = 0
	state |= (level+sampler.Level(&c.Seed))&format.StateLevelMask<<format.StateLevelShift |
		gen<<format.StateGenShift | format.PackBytes(uint64(bytes))<<format.StateBytesShift
	if at.fresh() {
		commit(&r.state, state)
	} else {
		store(&r.state, state)
		watchBlock(at.block())
	}
	if observer == format.ObserverCleanup {
		watch(pointer(s.Addr), at.id(), gen)
	}
}

// bornVar notes the births of a slice or map variable and of what it refers to.
func bornVar(c *runtime.Counter, s *runtime.Sample, level uint32) {
	ref := runtime.Sample{Addr: *(*uintptr)(pointer(s.Addr)), Site: s.Site.Next(), Type: s.Type}
	if s.Shape == runtime.ShapeMapVar {
		ref.Shape = runtime.ShapeMap
	}
	s.Shape = runtime.ShapeObject
	born(c, s, level)
	born(c, &ref, level)
}

// Reading the clock is a good part of what a birth costs, so births that follow each other
// closely share a reading. As long as one goroutine runs without a break, the time that a
// counter had read stays good for as many births as are expected within shareTime.
const (
	shareTime = 2000 // ns
	maxShare  = 32   // births
)

// birthTime is the time of a birth, ns since the start. turn changes when the scheduler runs
// something else, or the next cycle begins.
func birthTime(c *runtime.Counter, turn uint64) uint64 {
	if c.Ahead != 0 && c.Turn == turn {
		c.Ahead--
		return c.Time
	}
	now := elapsed()
	// Births since the last reading, if all of that time is of this turn.
	ahead := uint32(0)
	if c.Turn == turn {
		if gap := (now - c.Time) / uint64(c.Share+1); gap < shareTime {
			ahead = min(maxShare, uint32(shareTime/(gap+1)))
		}
	}
	c.Time, c.Turn, c.Ahead, c.Share = now, turn, ahead, ahead
	return now
}

const tinyBlock = 16

// newSlot allocates 16 bytes without pointers, the smallest size that does not come from
// the tiny allocator.
//
//go:noinline
func newSlot() unsafe.Pointer { return unsafe.Pointer(new([tinyBlock]byte)) }
