package profile

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile/profiletest"
)

var siteA = format.Site{File: "/src/a.go", Line: 3, Column: 9, Function: "a.F", Package: "x/a", Kind: format.KindNew, Type: "x/a.T", Bytes: 24}
var siteB = format.Site{File: "/src/b.go", Line: 7, Column: 2, Function: "b.(*B).G", Package: "x/b", Kind: format.KindMake, Type: "[]int", Bytes: -1}

func decode(t *testing.T, f *profiletest.File) *Profile {
	t.Helper()
	p, err := Decode(bytes.NewReader(f.Bytes()), "t.filip")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReadReturnsWhatWasWritten(t *testing.T) {
	f := profiletest.New(1000)
	f.End(format.EndExit)
	f.Dropped(format.DroppedNotHeap, 12)
	f.Dropped(format.DroppedCleanup, 3)
	f.Program("app", "-v", "x y")
	f.Meta(format.MetaRate, "1/1000")
	f.Meta(format.MetaNote, "a note")
	f.Meta("of a later writer", "ignored")
	a, b := f.Site(siteA), f.Site(siteB)
	f.Record(profiletest.Record{Birth: 10, End: 90, Bytes: 24, Site: a, BirthCycle: 1, DeathCycle: 2, Weight: 1000, Dead: true})
	f.Record(profiletest.Record{Birth: 20, Bytes: 4096, Site: b, BirthCycle: 1, Weight: 999.5})
	f.Record(profiletest.Record{Birth: 30, Bytes: 8, Site: a, Weight: 1000, Shared: true})
	f.Time(100, format.CauseEnd, 2, 5000, 60000, 700, 9, 50, 600)
	f.Time(1, format.CauseStart)
	name := filepath.Join(t.TempDir(), "app.4242.filip")
	if err := f.Write(name); err != nil {
		t.Fatal(err)
	}
	got, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	want := &Profile{
		Name: name, Start: time.Unix(1735787045, 0), Rate: 1000, Pid: 4242,
		Design: format.DesignGeometric, Observer: format.ObserverCleanup, End: format.EndExit,
		Dropped: [format.NumDropped]uint64{format.DroppedNotHeap: 12, format.DroppedCleanup: 3},
		Program: "app", GoVersion: "go1.26.8", OS: "linux", Arch: "amd64", RateText: "1/1000",
		Args: []string{"./app", "-v", "x y"}, Notes: []string{"a note"},
		Sites: []format.Site{siteA, siteB},
		Records: []Record{
			{Birth: 10, Death: 90, Bytes: 24, Site: 0, BirthCycle: 1, DeathCycle: 2, Weight: 1000, Dead: true},
			{Birth: 20, Bytes: 4096, Site: 1, BirthCycle: 1, Weight: 999.5},
			{Birth: 30, Bytes: 8, Site: 0, Weight: 1000, Shared: true},
		},
		Timeline: []Tick{
			{Time: 1, Cause: format.CauseStart},
			{Time: 100, Cause: format.CauseEnd, Cycle: 2, Objects: 5000, Bytes: 60000, Live: 700, GCCPU: 9, OwnObjects: 50, OwnBytes: 600},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.Duration() != 100 {
		t.Errorf("duration %d, want 100", got.Duration())
	}
}

func TestDeathAfterTheLastTimelineEntryProlongsTheRun(t *testing.T) {
	f := profiletest.New(1)
	a := f.Site(siteA)
	f.Record(profiletest.Record{Birth: 10, End: 150, Site: a, Dead: true})
	f.Time(100, format.CauseTick)
	if got := decode(t, f).Duration(); got != 150 {
		t.Errorf("duration %d, want 150", got)
	}
}

func TestEntriesOfTheSameSiteAreOne(t *testing.T) {
	f := profiletest.New(1)
	one, other := f.Site(siteA), f.Site(siteB)
	dynamic := siteA
	dynamic.Bytes = -1
	again := f.Site(dynamic)
	f.SiteID(one, siteA)
	for _, id := range []uint32{one, other, again} {
		f.Record(profiletest.Record{Site: id})
	}
	p := decode(t, f)
	if !reflect.DeepEqual(p.Sites, []format.Site{dynamic, siteB}) {
		t.Errorf("sites %+v", p.Sites)
	}
	if p.Records[0].Site != 0 || p.Records[1].Site != 1 || p.Records[2].Site != 0 {
		t.Errorf("records %+v", p.Records)
	}
}

func TestEntriesOfTheSameStackAreOne(t *testing.T) {
	f := profiletest.New(1)
	f.U32(format.HeaderStackDepth, 3)
	f.U64(format.HeaderStacksLost, 5)
	a := f.Site(siteA)
	early := f.Stack(2, 1) // before its frames
	leaf, main, copied := f.Frame("a.F", "/src/a.go", 3), f.Frame("main.main", "/src/m.go", 9), f.Frame("a.F", "/src/a.go", 3)
	stacks := []uint32{early, f.Stack(leaf, main), f.Stack(copied, main), f.Stack(leaf), f.Stack(leaf, 77), f.Stack(), 78, 0, 1 << 31}
	f.StackID(early, 2, 1)
	for _, id := range stacks {
		f.Record(profiletest.Record{Site: a, Stack: id})
	}
	p := decode(t, f)
	if !reflect.DeepEqual(p.Frames, []Frame{{"main.main", "/src/m.go", 9}, {"a.F", "/src/a.go", 3}}) {
		t.Errorf("frames %+v", p.Frames)
	}
	if !reflect.DeepEqual(p.Stacks, [][]uint32{nil, {0, 1}, {1, 0}, {1}}) {
		t.Errorf("stacks %v", p.Stacks)
	}
	for i, want := range []uint32{1, 2, 2, 3, 0, 0, 0, 0, 0} {
		if got := p.Records[i].Stack; got != want {
			t.Errorf("record of stack %d has stack %d, want %d", stacks[i], got, want)
		}
	}
	if p.Stack != 3 || p.StacksLost != 5 {
		t.Errorf("depth %d, %d lost", p.Stack, p.StacksLost)
	}
}

func TestThinningDropsLowLevelsAndRaisesWeights(t *testing.T) {
	f := profiletest.New(10)
	a := f.Site(siteA)
	for level := range uint32(4) {
		f.Record(profiletest.Record{Birth: int64(level), Site: a, Weight: 10, Level: level})
	}
	f.Level(2)
	p := decode(t, f)
	if len(p.Records) != 2 || p.Records[0].Birth != 2 || p.Records[1].Birth != 3 {
		t.Fatalf("records %+v", p.Records)
	}
	for _, r := range p.Records {
		if r.Weight != 40 {
			t.Errorf("weight %v, want 40", r.Weight)
		}
	}
	if p.EffectiveRate() != 40 || p.Lost != 0 {
		t.Errorf("effective rate %v, lost %d", p.EffectiveRate(), p.Lost)
	}
}

// A writer that is stopped by SIGKILL, or that has not got further yet, leaves all of these.
func TestUnfinishedFileIsReadUpToThatMoment(t *testing.T) {
	f := profiletest.New(1)
	a := f.Site(siteA)
	f.Room(32) // handed out, not begun
	head := f.Site(siteB)
	b := f.Meta(format.MetaNote, "committed")
	off := f.Meta(format.MetaNote, "not committed")
	f.U64(off, le.Uint64(f.Bytes()[off:])&^(1<<63))
	f.Time(100, format.CauseTick)
	f.Room(format.BlockSize) // found the block full, raised the count, took another block
	entries := len(f.Bytes()) - format.BlockSize
	f.U64(entries+format.BlockUsed, 0) // and was stopped before the first entry
	f.Record(profiletest.Record{Site: a})
	claimed := f.Record(profiletest.Record{Site: a})
	f.U32(claimed+format.RecordState, format.StateClaimed)
	f.Record(profiletest.Record{Site: 99})
	f.Record(profiletest.Record{Site: 1 << 31})
	torn := f.Record(profiletest.Record{Birth: 50, End: 60, Site: a, Dead: true})
	f.U64(torn+format.RecordEnd, 0)
	f.Record(profiletest.Record{Site: head})
	f.Block(format.BlockUnused)
	f.U64(format.HeaderBlocks, 9)
	if b == 0 {
		t.Fatal("no offset")
	}

	for _, cut := range []int{0, 1, format.BlockSize - 17, format.BlockSize - 8, format.BlockSize} {
		p, err := Decode(bytes.NewReader(f.Bytes()[:len(f.Bytes())-cut]), "t.filip")
		if err != nil {
			t.Fatalf("cut %d: %v", cut, err)
		}
		if len(p.Records) != 2 || p.Lost != 4 || len(p.Sites) != 2 || len(p.Timeline) != 1 {
			t.Errorf("cut %d: %d records, %d lost, %d sites, %d ticks", cut, len(p.Records), p.Lost, len(p.Sites), len(p.Timeline))
		}
		if !reflect.DeepEqual(p.Notes, []string{"committed"}) {
			t.Errorf("cut %d: notes %q", cut, p.Notes)
		}
		want := uint64(5)
		if cut == format.BlockSize {
			want = 6
		}
		if p.MissingBlocks != want {
			t.Errorf("cut %d: %d blocks missing, want %d", cut, p.MissingBlocks, want)
		}
	}
}

func TestBlocksNotYetCountedAreRead(t *testing.T) {
	f := profiletest.New(1)
	a := f.Site(siteA)
	f.Record(profiletest.Record{Site: a})
	f.U64(format.HeaderBlocks, 1)
	if p := decode(t, f); len(p.Records) != 1 || p.MissingBlocks != 0 {
		t.Errorf("%d records, %d blocks missing", len(p.Records), p.MissingBlocks)
	}
}

func TestLongerEntriesOfLaterWritersAreRead(t *testing.T) {
	f := profiletest.New(1)
	f.Entry(format.EntryMeta, append(profiletest.AppendString(profiletest.AppendString(nil, "program"), "app"), 1, 2, 3, 4, 5, 6, 7, 8))
	f.Entry(200, []byte("kind of a later writer"))
	f.Entry(format.EntryTime, append(make([]byte, format.TimeSize), 9, 9, 9))
	if p := decode(t, f); p.Program != "app" || len(p.Timeline) != 1 {
		t.Errorf("program %q, %d ticks", p.Program, len(p.Timeline))
	}
}

// growing is a file whose writer gets on between the reader's steps: at each read of the
// header, the next step is taken.
type growing struct {
	f     *profiletest.File
	steps []func()
}

func (g *growing) ReadAt(b []byte, off int64) (int, error) {
	if off == 0 && len(g.steps) > 0 {
		g.steps[0]()
		g.steps = g.steps[1:]
	}
	return bytes.NewReader(g.f.Bytes()).ReadAt(b, off)
}

func TestRunningProgramNotesSitesAndThinsMeanwhile(t *testing.T) {
	f := profiletest.New(1)
	a := f.Site(siteA)
	f.Record(profiletest.Record{Site: a, Level: 0})
	f.Record(profiletest.Record{Site: 2, Level: 1}) // its site is noted down behind the reader's back
	p, err := Decode(&growing{f, []func(){
		func() {},
		func() { f.Site(siteB); f.Level(1); f.Time(7); f.End(format.EndExit) },
	}}, "t.filip")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Records) != 1 || p.Records[0].Weight != 2 || p.Sites[p.Records[0].Site] != siteB || p.Lost != 0 {
		t.Errorf("records %+v, sites %+v, lost %d", p.Records, p.Sites, p.Lost)
	}
	if p.End != format.EndExit || p.Level != 1 || len(p.Timeline) != 1 {
		t.Errorf("end %v, level %d, %d ticks", p.End, p.Level, len(p.Timeline))
	}
}

func TestMalformedFilesAreRejected(t *testing.T) {
	const (
		first  = format.HeaderSize // the first block, of entries
		second = first + format.BlockSize
	)
	tests := []struct {
		name   string
		damage func(f *profiletest.File) []byte
		want   string
	}{
		{"empty", func(f *profiletest.File) []byte { return nil }, "offset 0: the file is not a FiLiP profile"},
		{"other", func(f *profiletest.File) []byte { return []byte("\x1f\x8b something else, longer than a magic") }, "is not a FiLiP profile"},
		{"mangled", func(f *profiletest.File) []byte { return bytes.ReplaceAll(f.Bytes(), []byte("\r\n"), []byte("\n")) }, "is not a FiLiP profile"},
		{"header cut", func(f *profiletest.File) []byte { return f.Bytes()[:100] }, "offset 0: file is truncated: 100 bytes of a header of 4096"},
		{"version", func(f *profiletest.File) []byte { f.U32(format.HeaderVersion, 9); return f.Bytes() }, "offset 8: format version is 9, this reader knows only 2"},
		{"header size", func(f *profiletest.File) []byte { f.U32(format.HeaderHeaderSize, 1); return f.Bytes() }, "offset 12: header size is 1"},
		{"block size", func(f *profiletest.File) []byte { f.U32(format.HeaderBlockSize, 1); return f.Bytes() }, "offset 16: block size is 1"},
		{"record size", func(f *profiletest.File) []byte { f.U32(format.HeaderRecordSize, 1); return f.Bytes() }, "offset 20: record size is 1"},
		{"rate", func(f *profiletest.File) []byte { f.U64(format.HeaderRate, 0); return f.Bytes() }, "offset 32: sampling rate of 1 in 0 is not a rate"},
		{"rate NaN", func(f *profiletest.File) []byte {
			f.U64(format.HeaderRate, math.Float64bits(math.NaN()))
			return f.Bytes()
		}, "offset 32: sampling rate of 1 in NaN"},
		{"level", func(f *profiletest.File) []byte { f.U32(format.HeaderLevel, 32); return f.Bytes() }, "offset 44: thinning level is 32"},
		{"block kind", func(f *profiletest.File) []byte { f.U32(first, 5); return f.Bytes() }, "offset 4096: unknown kind of block 5"},
		{"entries cut", func(f *profiletest.File) []byte { return f.Bytes()[:first+100] }, "offset 4096: file is truncated: 100 bytes of a block of "},
		{"records cut", func(f *profiletest.File) []byte {
			f.Record(profiletest.Record{})
			return f.Bytes()[:len(f.Bytes())-1]
		}, fmt.Sprintf("offset %d: file is truncated: %d bytes of a block of %d", second, format.BlockSize-1, format.BlockSize)},
		{"entry magic", func(f *profiletest.File) []byte { f.U64(first+16, 77); return f.Bytes() }, "offset 4112: entry expected, found 0x4d"},
		{"entry length 0", func(f *profiletest.File) []byte {
			f.U64(first+16, format.EntryMagic<<40)
			return f.Bytes()
		}, "offset 4112: entry has length 0"},
		{"entry length odd", func(f *profiletest.File) []byte {
			f.U64(first+16, 12|format.EntryMagic<<40)
			return f.Bytes()
		}, "offset 4112: entry has length 12"},
		{"entry too long", func(f *profiletest.File) []byte {
			f.U64(first+16, 1<<20|format.EntryMagic<<40)
			return f.Bytes()
		}, "offset 4112: entry of length 1048576 exceeds"},
		{"string too long", func(f *profiletest.File) []byte { f.U32(first+24, 1<<30); return f.Bytes() }, "offset 4112: entry ends before its fields do"},
		{"site too short", func(f *profiletest.File) []byte {
			f.Entry(format.EntrySite, make([]byte, format.SiteEntryStrings))
			return f.Bytes()
		}, "entry ends before its fields do"},
		{"tick too short", func(f *profiletest.File) []byte {
			f.Entry(format.EntryTime, make([]byte, format.TimeSize-8))
			return f.Bytes()
		}, "entry ends before its fields do"},
		{"tick time", func(f *profiletest.File) []byte { f.Time(1 << 63); return f.Bytes() }, "entry has a time that no run reaches"},
		{"site id twice", func(f *profiletest.File) []byte {
			f.SiteID(1, siteA)
			f.SiteID(1, siteB)
			return f.Bytes()
		}, "site id is already that of another site"},
		{"frame id twice", func(f *profiletest.File) []byte {
			f.FrameID(1, "a.F", "a.go", 3)
			f.FrameID(1, "a.F", "a.go", 4)
			return f.Bytes()
		}, "frame id is already that of another frame"},
		{"stack id twice", func(f *profiletest.File) []byte {
			f.StackID(1, 2, 3)
			f.StackID(1, 2)
			return f.Bytes()
		}, "stack id is already that of another stack"},
		{"stack too short", func(f *profiletest.File) []byte {
			f.U32(f.StackID(1, 2, 3)+format.EntryHeadSize+4, 1<<30)
			return f.Bytes()
		}, "entry ends before its fields do"},
		{"frame too short", func(f *profiletest.File) []byte {
			f.Entry(format.EntryFrame, make([]byte, 8))
			return f.Bytes()
		}, "entry ends before its fields do"},
		{"time unit", func(f *profiletest.File) []byte { f.U32(format.HeaderTimeShift, 15); return f.Bytes() }, "offset 104: times in units of 2^15 ns"},
		{"record weight", func(f *profiletest.File) []byte {
			f.Record(profiletest.Record{Weight: float32(math.NaN())})
			return f.Bytes()
		}, fmt.Sprintf("offset %d: records stand for NaN objects", second+format.BlockWeight)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := profiletest.New(1)
			f.Meta(format.MetaProgram, "app")
			_, err := Decode(bytes.NewReader(test.damage(f)), "t.filip")
			if err == nil {
				t.Fatalf("no error, want %q", test.want)
			}
			got := err.Error()
			if !strings.HasPrefix(got, "read t.filip: offset ") || !strings.Contains(got, test.want) || strings.Contains(got, "\n") {
				t.Errorf("error %q, want %q", got, test.want)
			}
		})
	}
}

func TestReadOfWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(filepath.Join(dir, "none.filip")); !os.IsNotExist(err) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("directory: %v", err)
	}
}

func TestWordsOfValuesOfLaterWriters(t *testing.T) {
	for _, s := range []string{Design(77).String(), Observer(77).String(), End(77).String(), Cause(77).String()} {
		if s != "unknown" {
			t.Errorf("got %q", s)
		}
	}
	if Observer(format.ObserverCensus).String() != "census" || Design(format.DesignEvery).String() != "every" ||
		End(format.EndPanic).String() != "panic" || Cause(format.CauseGC).String() != "gc" {
		t.Error("a known value has the wrong word")
	}
}
