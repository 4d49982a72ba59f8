package profile

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile/profiletest"
)

// census is a file whose deaths a census found.
func census() *profiletest.File {
	f := profiletest.New(1)
	f.U32(format.HeaderObserver, format.ObserverCensus)
	return f
}

var cycle3 = profiletest.Cycle{
	Number: 3, Flags: format.GCForced, Start: 100, Mark: 110, MarkEnd: 190, End: 200, Pause: 12,
	HeapStart: 5000, HeapEnd: 6000, HeapMarked: 2000, HeapGoal: 8000,
	Assist: 7, Background: 70, Idle: 17, CPU: 99, Noted: 210, Objects: 40, Bytes: 4000, OwnObjects: 4, OwnBytes: 64,
}

var cycle3Read = Cycle{
	Number: 3, Forced: true, Start: 100, Mark: 110, MarkEnd: 190, End: 200, Pause: 12,
	HeapStart: 5000, HeapEnd: 6000, Marked: 2000, Goal: 8000, Assist: 7, Background: 70, Idle: 17,
	At: Tick{Time: 210, Cause: format.CauseGC, Cycle: 3, Objects: 40, Bytes: 4000, Live: 2000, GCCPU: 99, OwnObjects: 4, OwnBytes: 64},
}

func TestCyclesAreReadByNumber(t *testing.T) {
	f := census()
	f.U32(format.HeaderCensus, 3)
	f.U64(format.HeaderGCPeriod, 50e6)
	f.Census(3, 230, 15, 5, 60, 20) // before its cycle: the two have different writers
	f.Time(300, format.CauseEnd, 5)
	f.Cycle(profiletest.Cycle{Number: 5, Flags: format.GCPartial, Start: 250, Noted: 260})
	f.Cycle(cycle3)
	f.Census(4, 240, 16, 6, 61, 21) // its cycle is missing
	p := decode(t, f)
	if p.Observer != format.ObserverCensus || p.Census != 3 || p.GCPeriod != 50e6 {
		t.Errorf("observer %v, census %d, period %d", p.Observer, p.Census, p.GCPeriod)
	}
	three := cycle3Read
	three.CensusEnd, three.CensusTime, three.CensusStopped, three.CensusRecords, three.CensusDeaths = 230, 15, 5, 60, 20
	five := Tick{Time: 260, Cause: format.CauseGC, Cycle: 5}
	want := []Cycle{
		three,
		{Number: 4, CensusEnd: 240, CensusTime: 16, CensusStopped: 6, CensusRecords: 61, CensusDeaths: 21},
		{Number: 5, Start: 250, At: five},
	}
	if !reflect.DeepEqual(p.Cycles, want) {
		t.Errorf("got  %+v\nwant %+v", p.Cycles, want)
	}
	// What the heap had allocated by then is part of the timeline.
	if want := []Tick{three.At, five, {Time: 300, Cause: format.CauseEnd, Cycle: 5}}; !reflect.DeepEqual(p.Timeline, want) {
		t.Errorf("timeline %+v\nwant %+v", p.Timeline, want)
	}
}

func TestLongerCyclesOfLaterWritersAreRead(t *testing.T) {
	f := profiletest.New(1)
	f.Entry(format.EntryGC, append(make([]byte, format.GCSize), 1, 2, 3, 4, 5, 6, 7, 8))
	f.Entry(format.EntryCensus, append(make([]byte, format.CensusSize), 1, 2, 3, 4, 5, 6, 7, 8))
	if p := decode(t, f); len(p.Cycles) != 1 || p.Cycles[0] != (Cycle{At: Tick{Cause: format.CauseGC}}) {
		t.Errorf("cycles %+v", p.Cycles)
	}
}

func TestMalformedCyclesAreRejected(t *testing.T) {
	tests := []struct {
		name string
		add  func(f *profiletest.File)
		want string
	}{
		{"cycle too short", func(f *profiletest.File) { f.Entry(format.EntryGC, make([]byte, format.GCSize-8)) }, "offset 4112: entry ends before its fields do"},
		{"cycle time", func(f *profiletest.File) { f.Cycle(profiletest.Cycle{Mark: 1 << 63}) }, "offset 4112: entry has a time that no run reaches"},
		{"cycle CPU time", func(f *profiletest.File) { f.Cycle(profiletest.Cycle{CPU: 1 << 63}) }, "offset 4112: entry has a time that no run reaches"},
		{"census too short", func(f *profiletest.File) { f.Entry(format.EntryCensus, make([]byte, format.CensusSize-8)) }, "offset 4112: entry ends before its fields do"},
		{"census time", func(f *profiletest.File) { f.Census(1, 5, 1<<63) }, "offset 4112: entry has a time that no run reaches"},
		{"period", func(f *profiletest.File) { f.U64(format.HeaderGCPeriod, 1<<63) }, "offset 80: collections 9223372036854775808 ns apart are no period of a run"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := profiletest.New(1)
			test.add(f)
			_, err := Decode(bytes.NewReader(f.Bytes()), "t.filip")
			if err == nil || !strings.HasPrefix(err.Error(), "read t.filip: offset ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestDeathsOfACensusAreAtTheEndOfTheirMark(t *testing.T) {
	ends := func(numbersAndEnds ...uint64) *profiletest.File {
		f := census()
		for i := 0; i < len(numbersAndEnds); i += 2 {
			f.Cycle(profiletest.Cycle{Number: uint32(numbersAndEnds[i]), End: numbersAndEnds[i+1], Noted: numbersAndEnds[i+1]})
		}
		f.Time(900, format.CauseEnd)
		return f
	}
	partial := ends(1, 100, 2, 200)
	partial.Cycle(profiletest.Cycle{Number: 3, Flags: format.GCPartial, Start: 250, Noted: 390})
	partial.Census(4, 395, 5, 5, 1, 1)
	partial.Cycle(profiletest.Cycle{Number: 5, End: 400, Noted: 400})
	tests := []struct {
		name string
		file *profiletest.File
		want map[uint32]int64 // death cycle → death
	}{
		{"every cycle known", ends(1, 100, 2, 200, 3, 300), map[uint32]int64{1: 100, 2: 200, 3: 300}},
		{"not noted in order", ends(3, 300, 1, 100, 2, 200), map[uint32]int64{1: 100, 2: 200, 3: 300}},
		{"the run is longer", ends(1, 100, 2, 200), map[uint32]int64{0: 100, 2: 200, 3: 900, math.MaxUint32: 900}},
		{"some missing: the next known", ends(2, 200, 5, 500, 6, 600), map[uint32]int64{0: 200, 1: 200, 2: 200, 3: 500, 4: 500, 5: 500, 6: 600, 7: 900}},
		{"partial: the next known", partial, map[uint32]int64{2: 200, 3: 400, 4: 400, 5: 400, 6: 900}},
		{"none known: the end of the run", ends(), map[uint32]int64{0: 900, 1: 900, 7: 900}},
		{"far apart", ends(1, 100, 4e9, 400), map[uint32]int64{0: 100, 1: 100, 2: 400, 3e9: 400, 4e9: 400, 4e9 + 1: 900}},
		{"the last there can be", ends(7, 100, math.MaxUint32, 400), map[uint32]int64{7: 100, 8: 400, math.MaxUint32: 400}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := test.file.Site(siteA)
			for range 3 { // each after each other
				for cycle := range test.want {
					test.file.Record(profiletest.Record{Birth: 5, Addr: 0xc000012340, Site: a, Dead: true, DeathCycle: cycle})
				}
			}
			for _, r := range decode(t, test.file).Records {
				if r.Death != test.want[r.DeathCycle] || r.Addr != 0xc000012340 {
					t.Errorf("found dead by cycle %d: death %d, address %#x, want death %d", r.DeathCycle, r.Death, r.Addr, test.want[r.DeathCycle])
				}
			}
		})
	}
}

func TestOnlyTheDeadOfACensusAreDated(t *testing.T) {
	f := census()
	f.Cycle(cycle3)
	a := f.Site(siteA)
	f.Record(profiletest.Record{Birth: 205, Addr: 16, Site: a, Dead: true, DeathCycle: 3}) // its clock was read after the mark
	f.Record(profiletest.Record{Birth: 150, Addr: 32, Site: a})
	f.Record(profiletest.Record{Birth: 150, Addr: 48, Site: a, Shared: true, DeathCycle: 3})
	want := []Record{
		{Birth: 205, Death: 205, Addr: 16, DeathCycle: 3, Weight: 1, Dead: true},
		{Birth: 150, Addr: 32, Weight: 1},
		{Birth: 150, Addr: 48, Weight: 1, Shared: true},
	}
	if p := decode(t, f); !reflect.DeepEqual(p.Records, want) {
		t.Errorf("got  %+v\nwant %+v", p.Records, want)
	}

	f.U32(format.HeaderObserver, format.ObserverCleanup)
	f.Record(profiletest.Record{Birth: 150, End: 160, Site: a, Dead: true, DeathCycle: 3})
	if r := decode(t, f).Records; len(r) != 3 || r[2].Death != 160 || r[2].Addr != 0 {
		t.Errorf("records of another observer: %+v", r)
	}
}

// A damaged number of a cycle must not cost memory for all the cycles before it.
func TestCyclesFarApartTakeLittleMemory(t *testing.T) {
	f := census()
	a := f.Site(siteA)
	for _, n := range []uint32{1, 1 << 20, 1 << 23, 1<<24 - 1, 1 << 31, math.MaxUint32} {
		f.Cycle(profiletest.Cycle{Number: n, End: uint64(n)})
		f.Record(profiletest.Record{Site: a, Dead: true, DeathCycle: n})
	}
	before := allocated()
	p := decode(t, f)
	if n := allocated() - before; n > 1<<20 {
		t.Errorf("%d bytes allocated for a file of %d", n, len(f.Bytes()))
	}
	for _, r := range p.Records {
		if r.Death != int64(r.DeathCycle) {
			t.Errorf("death %d in cycle %d", r.Death, r.DeathCycle)
		}
	}
}
