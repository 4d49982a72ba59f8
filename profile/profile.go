// Package profile reads the files that instrumented programs write into Go values.
//
// A file may be read at any time: while its program runs, after it ended, after it was
// killed. What a writer had begun and not committed is left out and counted in
// Profile.Lost; anything that no writer leaves behind is an error that names the file and
// the offset.
package profile

import (
	"time"

	"github.com/filip-go/filip/format"
)

// A Profile is the content of one profile file. Times are ns since Start.
type Profile struct {
	Name string // the file, as it was given to Read or Decode

	Start    time.Time // when the program started
	Mono     int64     // the runtime's monotonic clock at Start, ns
	Rate     float64   // N: one object in N was to be sampled
	Level    int       // how many times half of the records were given up
	Pid      int       // process id of the program
	Design   Design    // how objects were picked
	Observer Observer  // how deaths were noticed
	Census   uint32    // the last cycle whose deaths are all noted (census only)
	Missed   uint32    // cycles without a census: deaths in them may have been missed
	Stack    int       // frames noted of a birth's stack at most; 0: none
	GCPeriod int64     // ns between the collections that FILIP_GC asked for; 0: none
	End      End       // how the run ended

	// Dropped counts the samples that are not among the records, by reason.
	Dropped [format.NumDropped]uint64

	Program   string   // base name of the executable
	GoVersion string   // as runtime.Version
	OS, Arch  string   // as runtime.GOOS, runtime.GOARCH
	RateText  string   // FILIP_RATE as given
	Args      []string // the command line
	Packages  string   // FILIP_PACKAGES when the program was built
	Kinds     []string // of allocation that were seen, by name; nil: not known
	Notes     []string // sentences from the writer to the reader of a report

	// Sites are distinct: entries that describe the same site are one.
	Sites    []format.Site
	Records  []Record // in the order of the file, which is not that of time
	Timeline []Tick   // by time
	Cycles   []Cycle  // of the garbage collector, by number; some may be missing

	// Frames and Stacks are distinct, too. A stack has indexes in Frames, the innermost
	// first; the first stack is that of no frames. Both are nil where there are no stacks.
	Frames []Frame
	Stacks [][]uint32

	// StacksLost counts the samples whose record has no stack for want of room. (Those
	// whose record was given up by thinning are among them.)
	StacksLost uint64

	// Lost counts the records that cannot be used: their writer was stopped while it
	// wrote them, or the site they name was never noted down, or they changed while they
	// were being read. Records given up by thinning are not lost.
	Lost int

	// MissingBlocks counts the blocks that the header says were handed out and that the
	// file ends before: the writer was stopped as it made room, or the file was cut.
	MissingBlocks uint64
}

// EffectiveRate is the N of the one in N that the records amount to, thinning included:
// Rate × 2^Level.
func (p *Profile) EffectiveRate() float64 { return p.Rate * scale(p.Level) }

// A Record is one sampled object.
type Record struct {
	Birth      int64   // ns
	Death      int64   // ns when the death was observed; of a census, the end of the mark that found it; 0 unless Dead
	Addr       uint64  // the object's address while it lived; 0 unless Observer is the census
	Bytes      uint64  // what the heap spends on the object
	Site       uint32  // index in Profile.Sites
	Stack      uint32  // index in Profile.Stacks, 0 for none
	BirthCycle uint32  // mark phases that had started at the birth
	DeathCycle uint32  // the mark phase that found it dead; 0 unless Dead
	Weight     float32 // objects the record stands for, thinning included
	Dead       bool    // its death was observed
	Marking    bool    // the mark of BirthCycle had not ended at the birth
	Shared     bool    // shares a 16-byte block with others: its death is that of the last of them
	level      uint8   // thinning level drawn at birth
}

// A Frame is a call on a stack, inlined or not.
type Frame struct {
	Function string // as runtime.Frame has it: example.com/a/b.(*T[...]).Run.func1
	File     string
	Line     int
}

// A Tick is one entry of the timeline. Counts are since the start of the program.
type Tick struct {
	Time       int64  // ns
	Cause      Cause  // why the entry was made
	Cycle      uint32 // mark phases started
	Objects    uint64 // heap objects allocated by the whole program
	Bytes      uint64 // heap bytes allocated by the whole program
	Live       uint64 // heap bytes that the last mark found live
	GCCPU      int64  // ns of CPU time spent by the GC
	OwnObjects uint64 // of Objects, those that FiLiP allocated
	OwnBytes   uint64 // of Bytes, those that FiLiP allocated
}

// A Cycle is one cycle of the garbage collector. Times are ns since Start. What is not known
// of it is 0.
type Cycle struct {
	Number uint32
	Forced bool // runtime.GC or debug.FreeOSMemory asked for it, or FILIP_GC

	Start   int64 // the world is asked to stop, before the mark
	Mark    int64 // the mark begins
	MarkEnd int64 // the world is asked to stop again
	End     int64 // the world goes on: whatever this mark did not find is dead
	Pause   int64 // ns for which the world was stopped

	HeapStart, HeapEnd uint64 // bytes at the start and the end of the mark
	Marked             uint64 // bytes that the mark found live
	Goal               uint64 // heap size, bytes, at which the next mark is to have ended

	// CPU time, ns, since the start of the program.
	Assist     int64 // marking by goroutines that allocate
	Background int64 // the mark's own workers
	Idle       int64 // marking on Ps that had nothing else to do

	At Tick // the counters of allocation, read shortly after the end

	// What the census of this cycle took; all 0 with another observer.
	CensusEnd     int64  // when it was complete
	CensusTime    int64  // ns, waiting not included
	CensusStopped int64  // of these, ns for which the world was stopped for it
	CensusRecords uint64 // records looked up
	CensusDeaths  uint64 // found dead
}

// Duration is the length of the run that the profile knows of, in ns: the time of the last
// timeline entry, or of the last birth or death where that is later.
func (p *Profile) Duration() int64 {
	var last int64
	if n := len(p.Timeline); n > 0 {
		last = p.Timeline[n-1].Time
	}
	for i := range p.Records {
		last = max(last, p.Records[i].Birth, p.Records[i].Death)
	}
	return last
}

// Last is the last timeline entry; ok is false if there is none.
func (p *Profile) Last() (t Tick, ok bool) {
	if len(p.Timeline) == 0 {
		return Tick{}, false
	}
	return p.Timeline[len(p.Timeline)-1], true
}

// scale is 2^level, the factor by which thinning raised the weights.
func scale(level int) float64 { return float64(uint64(1) << level) }
