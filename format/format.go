// Package format is the layout of a FiLiP profile file (version 2), shared by the
// program that writes it (runtime/collect) and the tools that read it (profile).
//
// Everything is little-endian. The file is memory-mapped by the writer and readable at
// every instant, also while the program runs and after it was killed: whatever takes
// several stores is committed by a last one.
//
//	offset 0           header, HeaderSize bytes
//	HeaderSize + i*BlockSize   block i
//
// A block starts with a BlockHeader: its kind and, for entries, how many bytes were
// handed out. A block of kind BlockUnused is skipped; the file may end in the middle of
// a block that was never used.
//
// A BlockRecords block holds RecordsPerBlock records, one per sampled object. A
// BlockEntries block holds variable-length entries: metadata, sites, the timeline.
//
// The package imports nothing, because runtime/collect is compiled into every
// instrumented program.
package format

// Magic opens every profile file. The line ending and the control byte show a transfer
// that mangled the file, as in PNG.
const Magic = "FILIP\r\n\x1a"

// Version is the layout described here. Readers reject any other.
const Version = 2

// Sizes in bytes.
const (
	HeaderSize      = 4096
	BlockSize       = 4096
	BlockHeaderSize = 16
	RecordsStart    = 32 // in a block of records, which has more of a header
	RecordSize      = 32
	RecordsPerBlock = (BlockSize - RecordsStart) / RecordSize // 127, no remainder
	EntryHeadSize   = 8
)

// Offsets of the header's fields.
const (
	HeaderMagic      = 0   // 8 bytes: Magic
	HeaderVersion    = 8   // u32
	HeaderHeaderSize = 12  // u32
	HeaderBlockSize  = 16  // u32
	HeaderRecordSize = 20  // u32
	HeaderStartWall  = 24  // i64: Unix time of the start, ns
	HeaderRate       = 32  // f64 bits: N of the 1/N that was asked for
	HeaderPid        = 40  // u32
	HeaderLevel      = 44  // u32: thinning level, see Record
	HeaderDesign     = 48  // u32: one of the Design constants
	HeaderObserver   = 52  // u32: one of the Observer constants
	HeaderBlocks     = 56  // u64: blocks asked for so far; not all need be in the file
	HeaderEnd        = 64  // u32: one of the End constants
	HeaderCensus     = 68  // u32: the last mark phase whose census is complete (ObserverCensus); 0 none
	HeaderStackDepth = 72  // u32: frames noted of a birth's stack at most; 0: no stacks
	HeaderMissed     = 76  // u32: cycles without a census, so that a death may have been missed
	HeaderGCPeriod   = 80  // u64: ns between the collections that FILIP_GC asked for; 0: none
	HeaderStartMono  = 88  // i64: the runtime's monotonic clock at the start, ns
	HeaderStacksLost = 96  // u64: samples that have a record without a stack, for want of room
	HeaderTimeShift  = 104 // u32: the times of records are in units of 2^this ns
	HeaderDropped    = 128 // NumDropped × u64, indexed by Dropped
)

// Sampling designs.
const (
	DesignGeometric = 0 // gaps between samples are geometric with mean N
	DesignEvery     = 1 // exactly one in N
)

// Observers of deaths.
const (
	ObserverCleanup = 1 // runtime.AddCleanup
	ObserverCensus  = 2 // mark bits, looked up once per GC cycle
)

// How a run ended.
const (
	EndUnknown = 0 // still running, or ended without a word (a signal, a raw exit)
	EndExit    = 1 // return from main, or os.Exit
	EndPanic   = 2 // an unrecovered panic, or a fatal error of the runtime
)

// Dropped says why samples are not among the records. Counts are numbers of samples.
type Dropped int

const (
	DroppedNotHeap   Dropped = iota // on a stack or in static data: no heap object, nothing lost
	DroppedZeroSize                 // occupies no memory: no heap object, nothing lost
	DroppedThinned                  // given up to keep the file within its bound; weights make up for it
	DroppedContended                // no record could be had without waiting
	DroppedFull                     // the file could not grow (disk full, file gone)
	DroppedTables                   // no room or no luck noting the site down
	DroppedCleanup                  // the runtime would not observe the object
	NumDropped
)

// String is the reason as it stands in reports and JSON.
func (d Dropped) String() string {
	switch d {
	case DroppedNotHeap:
		return "not_on_heap"
	case DroppedZeroSize:
		return "zero_size"
	case DroppedThinned:
		return "thinned"
	case DroppedContended:
		return "contended"
	case DroppedFull:
		return "file_full"
	case DroppedTables:
		return "tables_full"
	case DroppedCleanup:
		return "not_observable"
	}
	return "unknown"
}

// Kinds of block; offsets in a block's header.
const (
	BlockUnused  = 0
	BlockRecords = 1
	BlockEntries = 2

	BlockKind = 0 // u32
	BlockUsed = 8 // u64: bytes of the block asked for, header included (entries only); past the end: the last ones were refused
)

// BlockWeight is in the header of a block of records: f32 bits, the objects that each of its
// records stood for when the level was 0. What follows up to RecordsStart is the writer's own.
const BlockWeight = 4

// A record is RecordSize bytes. Times are since the start, in units of 2^HeaderTimeShift ns;
// cycles count the mark phases that had started.
//
// An object born in cycle b (that is, after b marks had started) and found dead by mark d survived
// d-b-1 marks. What is allocated during a mark is marked; but a birth noted during mark b may be of
// an object allocated just before it, which mark b itself can find dead.
const (
	RecordBirth      = 0  // u64: bits 16-63 the time of its birth, bits 0-15 those of the id of its site entry
	RecordEnd        = 8  // u64: bits 16-63 see below, bits 0-15 bits 16-31 of the id of its site entry
	RecordStack      = 16 // u32: id of the stack entry of its birth, 0 none
	RecordBirthCycle = 20 // u32
	RecordDeathCycle = 24 // u32, once StateDead: the mark that found it
	RecordState      = 28 // u32: see below; the store that commits the rest
)

// Bits 16-63 of RecordEnd are the time of the observed death once StateDead with
// ObserverCleanup, and the object's address with ObserverCensus.
const (
	RecordShift = 16
	RecordMask  = 1<<RecordShift - 1
	RecordMax   = 1<<(64-RecordShift) - 1 // later times are this
)

// The state word: bits 0-1 the state, bit 2 shared, bits 3-7 the level, bit 8 born during a mark, bits
// 9-15 the generation, which changes each time the slot is given to another object, bits 16-31 the bytes
// that the heap spends on the object: see PackBytes.
//
// Thinning. A record's level is drawn at birth: geometric with ratio 1/2. While the header's
// level is k, records with a level below k do not count, and the others stand for
// weight × 2^k objects. Raising k by one therefore gives up half of the records at
// random and doubles the rest, with a single store.
const (
	StateFree    = 0
	StateClaimed = 1 // being written: not to be counted
	StateAlive   = 2
	StateDead    = 3

	StateMask       = 3
	StateShared     = 1 << 2 // shares a block of 16 bytes with others (tiny allocator): its death is that of the block, the last of them
	StateLevelShift = 3
	StateLevelMask  = 31
	StateMarking    = 1 << 8 // the mark of the birth cycle had not ended at the birth
	StateGenShift   = 9
	StateGenMask    = 127
	StateBytesShift = 16
)

// PackBytes puts a number of bytes into 16 bits: 11 bits of it above 5 bits of an exponent. All
// size classes are exact; others, of large objects, are to one part in 2000, and less than
// 2^42.
func PackBytes(n uint64) uint32 {
	exp := uint32(0)
	for n >= 1<<11 {
		n = (n + 1) >> 1
		exp++
	}
	if exp > 31 {
		return 1<<16 - 1
	}
	return uint32(n)<<5 | exp
}

// UnpackBytes is the number of bytes that PackBytes packed.
func UnpackBytes(v uint32) uint64 { return uint64(v>>5) << (v & 31) }

// An entry starts on a multiple of 8 bytes with a u64 head: bits 0-31 its length with
// head and padding (a multiple of 8), bits 32-39 its kind, bits 40-55 EntryMagic, bit 63
// committed. A zero head is a hole left by a writer that was stopped: skip 8 bytes. An
// entry that is not committed is skipped by its length. Strings are a u32 length and the
// bytes, without padding in between. Readers take a longer entry than they know as one of a later
// writer with fields added at the end, and a kind they do not know as something to skip.
const (
	EntryMagic     = 0xF117
	EntryCommitted = 1 << 63
	MaxString      = 1000 // bytes; longer strings are cut, so that every entry fits in a block

	EntryMeta = 1 // string key, string value
	EntrySite = 2 // see SiteEntry*
	EntryTime = 3 // see Time*

	EntryGC     = 4 // see GC*
	EntryCensus = 5 // see Census*
	EntryFrame  = 6 // u32 id, u32 line, string function, string file
	EntryStack  = 7 // u32 id, u32 n, n × u32 frame ids, the innermost first; frames may follow their stack in the file
)

// A site entry: fixed part, then the strings file, function, package, type.
const (
	SiteEntryID      = 0  // u32; two entries may describe the same site: add them up
	SiteEntryLine    = 4  // u32
	SiteEntryColumn  = 8  // u32
	SiteEntryKind    = 12 // u32: Kind
	SiteEntryBytes   = 16 // u64: static size of the object in bytes, ^0 unknown
	SiteEntryStrings = 24
)

// A timeline entry: all counts are since the start of the program.
const (
	TimeNs         = 0  // u64: when, ns since the start
	TimeCause      = 8  // u32: one of the Cause constants
	TimeCycle      = 12 // u32: mark phases started
	TimeObjects    = 16 // u64: heap objects allocated by the whole program, tiny ones one by one
	TimeBytes      = 24 // u64: heap bytes allocated by the whole program
	TimeLive       = 32 // u64: heap bytes that the last mark found live
	TimeGCCPU      = 40 // u64: ns of CPU time spent by the GC
	TimeOwnObjects = 48 // u64: of TimeObjects, those that FiLiP itself allocated
	TimeOwnBytes   = 56 // u64: of TimeBytes, those that FiLiP itself allocated
	TimeSize       = 64
)

// A GC entry describes one cycle of the garbage collector. Times are ns since the start, CPU
// times ns since the start of the program, of all threads together.
const (
	GCCycle      = 0   // u32: its number, from 1
	GCFlags      = 4   // u32: GCForced…
	GCStart      = 8   // u64: the world is asked to stop, before the mark
	GCMark       = 16  // u64: the mark begins
	GCMarkEnd    = 24  // u64: the world is asked to stop again
	GCEnd        = 32  // u64: the world goes on: whatever this mark did not find is dead
	GCPause      = 40  // u64: ns for which the world was stopped, both times together
	GCHeapStart  = 48  // u64: heap bytes at the start
	GCHeapEnd    = 56  // u64: heap bytes at the end of the mark
	GCHeapMarked = 64  // u64: bytes that the mark found live
	GCHeapGoal   = 72  // u64: heap size at which the next mark is to have ended
	GCAssist     = 80  // u64: CPU time spent marking by goroutines that allocate
	GCBackground = 88  // u64: CPU time of the mark's own workers
	GCIdle       = 96  // u64: CPU time of the mark on Ps that had nothing else to do
	GCCPU        = 104 // u64: all CPU time of the collector, pauses included
	GCNoted      = 112 // u64: when the counters below were read
	GCObjects    = 120 // u64: as TimeObjects, and so on
	GCBytes      = 128 // u64
	GCOwnObjects = 136 // u64
	GCOwnBytes   = 144 // u64
	GCSize       = 152
)

// Bits of GCFlags.
const (
	GCForced  = 1 << 0 // runtime.GC or debug.FreeOSMemory asked for it, or FILIP_GC
	GCPartial = 1 << 1 // the next cycle had begun when this was written: what that overwrites is 0
)

// A census entry describes what looking up the mark bits of a cycle's records took.
const (
	CensusCycle   = 0  // u32
	CensusEnd     = 8  // u64: ns since the start when it was complete
	CensusTime    = 16 // u64: ns it took, waiting not included
	CensusStopped = 24 // u64: of these, ns for which the world was stopped for it
	CensusRecords = 32 // u64: records looked up
	CensusDeaths  = 40 // u64: found dead
	CensusSize    = 48
)

// Why a timeline entry was made.
const (
	CauseStart = 1
	CauseGC    = 2 // a GC cycle had ended
	CauseTick  = 3 // time had passed
	CauseEnd   = 4 // the program was about to end
)

// Keys of metadata entries.
const (
	MetaProgram   = "program"    // base name of the executable
	MetaGoVersion = "go_version" // as runtime.Version
	MetaOS        = "goos"
	MetaArch      = "goarch"
	MetaRate      = "rate"     // FILIP_RATE as given
	MetaArgs      = "args"     // the command line, arguments separated by NUL
	MetaKinds     = "kinds"    // of allocation that were seen, as Kind spells them, with commas between
	MetaPackages  = "packages" // FILIP_PACKAGES at build time, if set
	MetaNote      = "note"     // a sentence for the reader of the report
)
