// Package profiletest builds profile files for tests, byte for byte as package format
// describes them.
package profiletest

import (
	"encoding/binary"
	"math"
	"os"
	"strings"

	"github.com/filip-go/filip/format"
)

var le = binary.LittleEndian

// A File is a profile file in the making. The zero value is not usable: call New.
type File struct {
	b       []byte
	records int // offset of the current block of records, 0 none
	weight  float32
	next    int // where the next record goes
	entries int // offset of the current block of entries, 0 none
	sites   uint32
	frames  uint32
	stacks  uint32
}

// A Record is one sampled object as the file has it, see package format.
type Record struct {
	Birth, End             int64  // ns, below 2^48; End counts if Dead
	Addr                   uint64 // in the place of End, if not 0
	Bytes                  uint64
	Site, Stack            uint32
	BirthCycle, DeathCycle uint32
	Weight                 float32 // 0 stands for 1
	Level                  uint32
	Dead, Shared, Marking  bool
}

// New starts the file of a run with the given N of 1/N: geometric design, cleanup
// observer, process 4242, started on 2025-01-02 03:04:05 UTC.
func New(rate float64) *File {
	f := &File{b: make([]byte, format.HeaderSize)}
	copy(f.b, format.Magic)
	f.U32(format.HeaderVersion, format.Version)
	f.U32(format.HeaderHeaderSize, format.HeaderSize)
	f.U32(format.HeaderBlockSize, format.BlockSize)
	f.U32(format.HeaderRecordSize, format.RecordSize)
	f.U64(format.HeaderStartWall, 1735787045e9)
	f.U64(format.HeaderRate, math.Float64bits(rate))
	f.U32(format.HeaderPid, 4242)
	f.U32(format.HeaderObserver, format.ObserverCleanup)
	return f
}

// U32 stores v at the given offset of the file, to set header fields and to do damage.
func (f *File) U32(off int, v uint32) { le.PutUint32(f.b[off:], v) }

// U64 stores v at the given offset of the file.
func (f *File) U64(off int, v uint64) { le.PutUint64(f.b[off:], v) }

// Level sets the thinning level.
func (f *File) Level(k uint32) { f.U32(format.HeaderLevel, k) }

// End sets how the run ended.
func (f *File) End(end uint32) { f.U32(format.HeaderEnd, end) }

// Dropped sets the number of samples dropped for a reason.
func (f *File) Dropped(why format.Dropped, n uint64) { f.U64(format.HeaderDropped+8*int(why), n) }

// Block appends a block of the given kind and returns its offset.
func (f *File) Block(kind uint32) int {
	off := len(f.b)
	f.b = append(f.b, make([]byte, format.BlockSize)...)
	f.U32(off+format.BlockKind, kind)
	f.U64(format.HeaderBlocks, uint64(off-format.HeaderSize)/format.BlockSize+1)
	return off
}

// Record appends a record and returns its offset.
func (f *File) Record(r Record) int {
	if r.Weight == 0 {
		r.Weight = 1
	}
	if f.records == 0 || f.next+format.RecordSize > f.records+format.BlockSize || f.weight != r.Weight {
		f.records = f.Block(format.BlockRecords)
		f.next = f.records + format.RecordsStart
		f.weight = r.Weight
		f.U32(f.records+format.BlockWeight, math.Float32bits(r.Weight))
	}
	off := f.next
	f.next += format.RecordSize
	state, end := uint32(format.StateAlive), r.Addr
	if r.Dead {
		state = format.StateDead
		f.U32(off+format.RecordDeathCycle, r.DeathCycle)
		if end == 0 {
			end = uint64(r.End)
		}
	}
	if r.Shared {
		state |= format.StateShared
	}
	if r.Marking {
		state |= format.StateMarking
	}
	f.U64(off+format.RecordBirth, uint64(r.Birth)<<format.RecordShift|uint64(r.Site)&format.RecordMask)
	f.U64(off+format.RecordEnd, end<<format.RecordShift|uint64(r.Site)>>format.RecordShift)
	f.U32(off+format.RecordStack, r.Stack)
	f.U32(off+format.RecordBirthCycle, r.BirthCycle)
	f.U32(off+format.RecordState, state|r.Level<<format.StateLevelShift|7<<format.StateGenShift|format.PackBytes(r.Bytes)<<format.StateBytesShift)
	return off
}

// Room hands out n bytes, a multiple of 8, for an entry and returns their offset.
func (f *File) Room(n int) int {
	if f.entries != 0 {
		used := int(le.Uint64(f.b[f.entries+format.BlockUsed:]))
		f.U64(f.entries+format.BlockUsed, uint64(used+n))
		if used+n <= format.BlockSize {
			return f.entries + used
		}
	}
	f.entries = f.Block(format.BlockEntries)
	f.U64(f.entries+format.BlockUsed, uint64(format.BlockHeaderSize+n))
	return f.entries + format.BlockHeaderSize
}

// Entry appends a committed entry of the given kind and returns its offset.
func (f *File) Entry(kind uint8, payload []byte) int {
	n := (format.EntryHeadSize + len(payload) + 7) &^ 7
	off := f.Room(n)
	copy(f.b[off+format.EntryHeadSize:], payload)
	f.U64(off, uint64(n)|uint64(kind)<<32|format.EntryMagic<<40|format.EntryCommitted)
	return off
}

// Meta appends a metadata entry and returns its offset.
func (f *File) Meta(key, value string) int {
	return f.Entry(format.EntryMeta, AppendString(AppendString(nil, key), value))
}

// Program appends the metadata that every run has.
func (f *File) Program(name string, args ...string) {
	f.Meta(format.MetaProgram, name)
	f.Meta(format.MetaGoVersion, "go1.26.8")
	f.Meta(format.MetaOS, "linux")
	f.Meta(format.MetaArch, "amd64")
	f.Meta(format.MetaArgs, strings.Join(append([]string{"./" + name}, args...), "\x00"))
}

// Site appends a site entry under the next free id, which it returns: 1 at first.
func (f *File) Site(s format.Site) uint32 {
	f.sites++
	f.SiteID(f.sites, s)
	return f.sites
}

// SiteID appends a site entry under the given id and returns its offset.
func (f *File) SiteID(id uint32, s format.Site) int {
	b := le.AppendUint32(nil, id)
	b = le.AppendUint32(b, uint32(s.Line))
	b = le.AppendUint32(b, uint32(s.Column))
	b = le.AppendUint32(b, uint32(s.Kind))
	b = le.AppendUint64(b, uint64(s.Bytes))
	for _, str := range [...]string{s.File, s.Function, s.Package, s.Type} {
		b = AppendString(b, str)
	}
	return f.Entry(format.EntrySite, b)
}

// Frame appends the entry of a frame under the next free id, which it returns: 1 at first.
func (f *File) Frame(function, file string, line int) uint32 {
	f.frames++
	f.FrameID(f.frames, function, file, line)
	return f.frames
}

// FrameID appends the entry of a frame under the given id and returns its offset.
func (f *File) FrameID(id uint32, function, file string, line int) int {
	b := le.AppendUint32(nil, id)
	b = le.AppendUint32(b, uint32(line))
	return f.Entry(format.EntryFrame, AppendString(AppendString(b, function), file))
}

// Stack appends the entry of a stack of frames, the innermost first, under the next free id,
// which it returns: 1 at first.
func (f *File) Stack(frames ...uint32) uint32 {
	f.stacks++
	f.StackID(f.stacks, frames...)
	return f.stacks
}

// StackID appends the entry of a stack under the given id and returns its offset.
func (f *File) StackID(id uint32, frames ...uint32) int {
	b := le.AppendUint32(nil, id)
	b = le.AppendUint32(b, uint32(len(frames)))
	for _, frame := range frames {
		b = le.AppendUint32(b, frame)
	}
	return f.Entry(format.EntryStack, b)
}

// Time appends a timeline entry, whose values are in the order of the format.Time
// constants: ns, cause, cycle, objects, bytes, live, GC CPU, own objects, own bytes.
// Values left out are 0.
func (f *File) Time(values ...uint64) int {
	var v [9]uint64
	copy(v[:], values)
	b := le.AppendUint64(nil, v[0])
	b = le.AppendUint32(b, uint32(v[1]))
	b = le.AppendUint32(b, uint32(v[2]))
	for _, u := range v[3:] {
		b = le.AppendUint64(b, u)
	}
	return f.Entry(format.EntryTime, b)
}

// A Cycle is a cycle of the collector as the file has it, see the format.GC constants. What is left
// out is 0.
type Cycle struct {
	Number, Flags                            uint32
	Start, Mark, MarkEnd, End, Pause         uint64
	HeapStart, HeapEnd, HeapMarked, HeapGoal uint64
	Assist, Background, Idle, CPU            uint64
	Noted                                    uint64
	Objects, Bytes, OwnObjects, OwnBytes     uint64
}

// Cycle appends the entry of a cycle and returns its offset.
func (f *File) Cycle(c Cycle) int {
	b := le.AppendUint32(nil, c.Number)
	b = le.AppendUint32(b, c.Flags)
	for _, u := range [...]uint64{
		c.Start, c.Mark, c.MarkEnd, c.End, c.Pause, c.HeapStart, c.HeapEnd, c.HeapMarked, c.HeapGoal,
		c.Assist, c.Background, c.Idle, c.CPU, c.Noted, c.Objects, c.Bytes, c.OwnObjects, c.OwnBytes,
	} {
		b = le.AppendUint64(b, u)
	}
	return f.Entry(format.EntryGC, b)
}

// Census appends the entry of the census of a cycle, whose values are in the order of the
// format.Census constants: ns at its end, ns it took, ns stopped, records, deaths. Values
// left out are 0.
func (f *File) Census(cycle uint32, values ...uint64) int {
	var v [5]uint64
	copy(v[:], values)
	b := le.AppendUint32(nil, cycle)
	b = le.AppendUint32(b, 0)
	for _, u := range v {
		b = le.AppendUint64(b, u)
	}
	return f.Entry(format.EntryCensus, b)
}

// Bytes is the file so far. It is not a copy.
func (f *File) Bytes() []byte { return f.b }

// Write writes the file under the given name.
func (f *File) Write(name string) error { return os.WriteFile(name, f.b, 0o644) }

// AppendString appends a string as entries hold it.
func AppendString(b []byte, s string) []byte {
	return append(le.AppendUint32(b, uint32(len(s))), s...)
}
