package verify

import (
	"iter"
	"strings"
	"testing"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
)

const ms = 1e6

// addr is where the object of most tests is.
const addr = 0xc000010000

// run is a profile with two GC cycles, at 10 and 20 ms, whose census is complete, of a run of 30 ms,
// with the given records.
func run(records ...profile.Record) *profile.Profile {
	return &profile.Profile{
		Mono:     1,
		Observer: format.ObserverCensus,
		Census:   2,
		Sites:    []format.Site{{File: "a.go", Line: 7, Type: "example.com/a.T"}, {File: "a.go", Line: 9, Type: "map[string]int"}},
		Records:  records,
		Timeline: []profile.Tick{{Time: 30 * ms, Cause: format.CauseEnd, Cycle: 2}, {Time: 32 * ms, Cause: format.CauseTick, Cycle: 3}},
		Cycles: []profile.Cycle{
			{Number: 1, MarkEnd: 10 * ms, End: 10*ms + 5000},
			{Number: 2, MarkEnd: 20 * ms, End: 20*ms + 5000},
		},
	}
}

func born(at int64) profile.Record {
	return profile.Record{Birth: at, BirthCycle: uint32(at / (10 * ms)), Addr: addr, Bytes: 48, Weight: 1}
}

func died(at int64, cycle uint32) profile.Record { return dead(born(at), cycle) }

func dead(r profile.Record, cycle uint32) profile.Record {
	r.Dead, r.DeathCycle = true, cycle
	return r
}

// marking has the record born in the mark phase that is to end next.
func marking(r profile.Record) profile.Record {
	r.BirthCycle++
	r.Marking = true
	return r
}

// tiny is an object at an offset in a block of the tiny allocator.
func tiny(at int64, offset uint64) profile.Record {
	r := born(at)
	r.Addr += offset
	r.Shared = true
	return r
}

func alloc(at int64) Event {
	return Event{Kind: Alloc, Time: at, Addr: addr, Size: 48, Type: "a.T"}
}
func free(at int64) Event { return Event{Kind: Free, Time: at, Addr: addr} }

// cycles has the events of both GC cycles.
var cycles = [2]Event{{Kind: MarkEnd, Time: 10*ms + 1000}, {Kind: MarkEnd, Time: 20*ms + 1000}}

func sequence(events ...Event) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A comparison that misses a class of disagreement proves nothing: each is made once, alone.
func TestDisagreements(t *testing.T) {
	sized := func(r profile.Record, bytes uint64) profile.Record { r.Bytes = bytes; return r }
	for _, test := range []struct {
		name    string
		records []profile.Record
		events  []Event
		want    []Class
		births  Agreement
		deaths  Agreement
		alive   Agreement
	}{
		{
			name:    "all agrees",
			records: []profile.Record{died(5*ms, 1), died(12*ms, 2), born(25 * ms)},
			events:  []Event{alloc(5*ms - 100), cycles[0], free(11 * ms), alloc(12*ms - 100), cycles[1], free(21 * ms), alloc(25*ms - 100)},
			births:  Agreement{3, 3}, deaths: Agreement{2, 2}, alive: Agreement{1, 1},
		},
		{
			name:    "birth noted long after the allocation",
			records: []profile.Record{died(15*ms, 2)},
			events:  []Event{alloc(5 * ms), cycles[0], cycles[1], free(21 * ms)},
			births:  Agreement{1, 1}, deaths: Agreement{1, 1},
		},
		{
			name:    "allocation told before the free of the object before",
			records: []profile.Record{died(5*ms, 1), born(11 * ms)},
			events:  []Event{alloc(5 * ms), cycles[0], alloc(11*ms - 100), free(11*ms + 50), cycles[1]},
			births:  Agreement{2, 2}, deaths: Agreement{1, 1}, alive: Agreement{1, 1},
		},
		{
			name:    "birth noted during the mark that finds the object dead",
			records: []profile.Record{marking(died(9*ms, 1)), born(11 * ms)},
			events:  []Event{alloc(8 * ms), {Kind: Mark, Time: 9*ms - 100}, cycles[0], free(10*ms + 2000), alloc(11 * ms), cycles[1]},
			births:  Agreement{2, 2}, deaths: Agreement{1, 1}, alive: Agreement{1, 1},
		},
		{
			name:    "object older than the trace",
			records: []profile.Record{died(5*ms, 1)},
			events:  []Event{{Kind: Exists, Time: 4 * ms, Addr: addr, Size: 48}, cycles[0], free(11 * ms), cycles[1]},
			births:  Agreement{1, 1}, deaths: Agreement{1, 1},
		},
		{
			name:    "freed after the last census",
			records: []profile.Record{born(15 * ms)},
			events:  []Event{alloc(15 * ms), cycles[0], cycles[1], {Kind: MarkEnd, Time: 29 * ms}, free(29*ms + 100)},
			births:  Agreement{1, 1}, alive: Agreement{1, 1},
		},
		{
			name:    "never allocated",
			records: []profile.Record{born(5 * ms)},
			events:  []Event{cycles[0], cycles[1]},
			want:    []Class{NoAllocation}, births: Agreement{0, 1},
		},
		{
			name:    "born twice",
			records: []profile.Record{born(5 * ms), born(6 * ms)},
			events:  []Event{alloc(5 * ms), cycles[0], cycles[1]},
			want:    []Class{NoAllocation}, births: Agreement{1, 2}, alive: Agreement{1, 1},
		},
		{
			name:    "allocated after the birth",
			records: []profile.Record{born(5 * ms)},
			events:  []Event{cycles[0], alloc(12 * ms), cycles[1]},
			want:    []Class{NoAllocation}, births: Agreement{0, 1},
		},
		{
			name:    "allocated before the birth, but told later",
			records: []profile.Record{born(5 * ms)},
			events:  []Event{{Kind: Alloc, Time: 8 * ms, Late: true, Addr: addr, Size: 48}, cycles[0], cycles[1]},
			births:  Agreement{1, 1}, alive: Agreement{1, 1},
		},
		{
			name:    "found dead when the trace had ended",
			records: []profile.Record{died(25*ms, 3)},
			events:  []Event{cycles[0], cycles[1], alloc(25 * ms), {Kind: MarkEnd, Time: 31 * ms}},
			births:  Agreement{1, 1},
		},
		{
			name:    "born when the trace had ended",
			records: []profile.Record{born(32 * ms)},
			events:  []Event{cycles[0], cycles[1], {Kind: MarkEnd, Time: 31 * ms}},
		},
		{
			name:    "allocated anew where the mark's end is told late",
			records: []profile.Record{died(5*ms, 1), died(11*ms, 2)},
			events:  []Event{alloc(5 * ms), {Kind: MarkEnd, Time: 13 * ms, Late: true}, free(13*ms + 1), {Kind: Alloc, Time: 13*ms + 2, Late: true, Addr: addr, Size: 48}, cycles[1], free(21 * ms)},
			births:  Agreement{2, 2}, deaths: Agreement{2, 2},
		},
		{
			name:    "blocks of the tiny allocator one after another",
			records: []profile.Record{died(5*ms, 1), born(11 * ms)},
			events: []Event{{Kind: Alloc, Time: 5 * ms, Addr: addr, Size: 48, Shared: true}, cycles[0],
				{Kind: Alloc, Time: 11 * ms, Addr: addr, Size: 48, Shared: true}, free(11*ms + 50), cycles[1]},
			births: Agreement{2, 2}, deaths: Agreement{1, 1}, alive: Agreement{1, 1},
		},
		{
			name:    "three objects in a tiny block, told before the free of the block before",
			records: []profile.Record{died(5*ms, 1), tiny(11*ms, 0), tiny(11*ms, 8), tiny(11*ms, 11)},
			events: []Event{{Kind: Alloc, Time: 5 * ms, Addr: addr, Size: 48, Shared: true}, cycles[0],
				{Kind: Alloc, Time: 11 * ms, Addr: addr, Size: 48, Shared: true},
				{Kind: Alloc, Time: 11*ms + 64, Addr: addr, Offset: 8, Size: 48, Shared: true},
				{Kind: Alloc, Time: 11*ms + 128, Addr: addr, Offset: 8, Size: 48, Shared: true}, free(11*ms + 5000), cycles[1]},
			births: Agreement{4, 4}, deaths: Agreement{1, 1}, alive: Agreement{3, 3},
		},
		{
			name:    "second object in a tiny block, told after the end of the mark that it was allocated in",
			records: []profile.Record{marking(tiny(9*ms, 0)), tiny(11*ms, 8)},
			events: []Event{{Kind: Mark, Time: 8 * ms}, {Kind: Alloc, Time: 9 * ms, Addr: addr, Size: 48, Shared: true}, cycles[0],
				{Kind: Alloc, Time: 11 * ms, Addr: addr, Offset: 8, Size: 48, Shared: true}, cycles[1]},
			births: Agreement{2, 2}, alive: Agreement{2, 2},
		},
		{
			name:    "the same, found dead",
			records: []profile.Record{marking(dead(tiny(9*ms, 0), 2)), dead(tiny(11*ms, 8), 2)},
			events: []Event{{Kind: Mark, Time: 8 * ms}, {Kind: Alloc, Time: 9 * ms, Addr: addr, Size: 48, Shared: true}, cycles[0],
				{Kind: Alloc, Time: 11 * ms, Addr: addr, Offset: 8, Size: 48, Shared: true}, cycles[1], free(21 * ms)},
			births: Agreement{2, 2}, deaths: Agreement{2, 2},
		},
		{
			name:    "born after the object there died",
			records: []profile.Record{born(12 * ms)},
			events:  []Event{alloc(5 * ms), cycles[0], free(11 * ms), cycles[1]},
			want:    []Class{NoAllocation}, births: Agreement{0, 1},
		},
		{
			name:    "other size",
			records: []profile.Record{sized(born(5*ms), 64)},
			events:  []Event{alloc(5 * ms), cycles[0], cycles[1]},
			want:    []Class{WrongSize}, births: Agreement{0, 1}, alive: Agreement{1, 1},
		},
		{
			name:    "dead, and not freed",
			records: []profile.Record{died(5*ms, 1)},
			events:  []Event{alloc(5 * ms), cycles[0], cycles[1]},
			want:    []Class{NotFreed}, births: Agreement{1, 1}, deaths: Agreement{0, 1},
		},
		{
			name:    "alive, and freed",
			records: []profile.Record{born(5 * ms)},
			events:  []Event{alloc(5 * ms), cycles[0], cycles[1], free(21 * ms)},
			want:    []Class{StillAlive}, births: Agreement{1, 1}, alive: Agreement{0, 1},
		},
		{
			name:    "died a cycle too late",
			records: []profile.Record{died(5*ms, 2)},
			events:  []Event{alloc(5 * ms), cycles[0], free(11 * ms), cycles[1]},
			want:    []Class{WrongCycle}, births: Agreement{1, 1}, deaths: Agreement{0, 1},
		},
		{
			name:    "died a cycle too early",
			records: []profile.Record{died(5*ms, 1)},
			events:  []Event{alloc(5 * ms), cycles[0], cycles[1], free(21 * ms)},
			want:    []Class{WrongCycle}, births: Agreement{1, 1}, deaths: Agreement{0, 1},
		},
		{
			name:    "birth at the very end of the trace",
			records: []profile.Record{born(25*ms - 500e3)},
			events:  []Event{cycles[0], cycles[1], {Kind: Free, Time: 25 * ms, Addr: addr + 4096}},
		},
		{
			name:    "birth before the very end of the trace",
			records: []profile.Record{born(23 * ms)},
			events:  []Event{cycles[0], cycles[1], {Kind: Free, Time: 25 * ms, Addr: addr + 4096}},
			want:    []Class{NoAllocation}, births: Agreement{0, 1},
		},
		{
			name:   "cycle at another time",
			events: []Event{cycles[0], {Kind: MarkEnd, Time: 24 * ms}},
			want:   []Class{WrongTime},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Compare(run(test.records...), sequence(test.events...))
			if err != nil {
				t.Fatal(err)
			}
			var want [NumClasses]uint64
			for _, c := range test.want {
				want[c]++
			}
			if r.Classes != want {
				t.Errorf("disagreements are %v, want %v", r.Classes, want)
			}
			if r.Births != test.births || r.Deaths != test.deaths || r.Survivors != test.alive {
				t.Errorf("births, deaths, survivors are %v %v %v, want %v %v %v", r.Births, r.Deaths, r.Survivors, test.births, test.deaths, test.alive)
			}
			var text strings.Builder
			if err := r.WriteText(&text, true); err != nil {
				t.Fatal(err)
			}
			for _, c := range test.want {
				if !strings.Contains(text.String(), c.String()) {
					t.Errorf("the text does not say %q:\n%s", c, &text)
				}
			}
			if none := strings.Contains(text.String(), "Disagreements: none"); none != (len(test.want) == 0) {
				t.Errorf("the text is\n%s", &text)
			}
		})
	}
}

// What shares an address, or has parts elsewhere, is what sizes go wrong with.
func TestSizes(t *testing.T) {
	for _, test := range []struct {
		name   string
		record profile.Record
		event  Event
		agrees bool
	}{
		{"slot", profile.Record{Addr: addr, Bytes: 48}, Event{Size: 48}, true},
		{"behind the header", profile.Record{Addr: addr + 8, Bytes: 1024}, Event{Size: 1024, Offset: 8}, true},
		{"header, and the slot's address", profile.Record{Addr: addr, Bytes: 1024}, Event{Size: 1024, Offset: 8}, true},
		{"shared tiny block", profile.Record{Addr: addr + 12, Bytes: 4, Shared: true}, Event{Size: 16, Shared: true, Offset: 8}, true},
		{"small in a slot that is not tiny", profile.Record{Addr: addr, Bytes: 4}, Event{Size: 16}, false},
		{"map with its first group", profile.Record{Addr: addr, Bytes: 48 + 208}, Event{Size: 48, Type: "maps.Map"}, true},
		{"map with what is no slot", profile.Record{Addr: addr, Bytes: 48 + 200}, Event{Size: 48, Type: "maps.Map"}, false},
		{"channel with a large buffer", profile.Record{Addr: addr, Bytes: 96 + 5*8192}, Event{Size: 96, Type: "runtime.hchan"}, true},
		{"channel with a larger one, rounded", profile.Record{Addr: addr, Bytes: recorded(96 + 9*8192)}, Event{Size: 96, Type: "runtime.hchan"}, true},
		{"channel with what is no slot", profile.Record{Addr: addr, Bytes: 96 + 9*8192 + 4096}, Event{Size: 96, Type: "runtime.hchan"}, false},
		{"large, rounded", profile.Record{Addr: addr, Bytes: recorded(2049 * 8192)}, Event{Size: 2049 * 8192}, true},
		{"large, two pages more", profile.Record{Addr: addr, Bytes: 2052 * 8192}, Event{Size: 2049 * 8192}, false},
		{"of a span not told", profile.Record{Addr: addr, Bytes: 48}, Event{}, true},
	} {
		test.record.Birth, test.record.Weight = 5*ms, 1
		test.event.Kind, test.event.Time, test.event.Addr = Alloc, 5*ms, addr
		r, err := Compare(run(test.record), sequence(test.event, cycles[0], cycles[1]))
		if err != nil {
			t.Fatal(err)
		}
		if agrees := r.Births == (Agreement{1, 1}); agrees != test.agrees || r.Births.Of != 1 || r.Classes[WrongSize] > 1 {
			t.Errorf("%s: births are %v, disagreements %v", test.name, r.Births, r.Classes)
		}
	}
}

// Three objects of the runtime in a tiny block are one slot's bytes; two have a record.
func TestCoverage(t *testing.T) {
	tiny := func(at int64, offset uint8) Event {
		return Event{Kind: Alloc, Time: at, Addr: addr, Offset: offset, Size: 16, Shared: true, Type: "int32"}
	}
	a := profile.Record{Birth: 5 * ms, Addr: addr, Bytes: 4, Weight: 1, Shared: true}
	b := a
	b.Addr += 8
	p := run(a, b)
	p.Timeline = []profile.Tick{{OwnObjects: 5, OwnBytes: 80}, {Time: 30 * ms, OwnObjects: 6, OwnBytes: 112}}
	r, err := Compare(p, sequence(tiny(5*ms, 0), tiny(5*ms+64, 0), tiny(5*ms+128, 8), cycles[0], cycles[1],
		Event{Kind: Alloc, Time: 22 * ms, Addr: addr + 64, Size: 32, Type: "a.U"}))
	if err != nil {
		t.Fatal(err)
	}
	if r.Allocations != 4 || r.AllocatedBytes != 48 || r.Matched != 2 || r.MatchedBytes != 16 {
		t.Errorf("coverage is %d (%d) of %d (%d)", r.Matched, r.MatchedBytes, r.Allocations, r.AllocatedBytes)
	}
	if want := "66.7% of the objects (2 of 3), 100.0% of the bytes (16 of 16)"; r.coverage() != want {
		t.Errorf("%s, want %s", r.coverage(), want)
	}
	if len(r.Unseen) != 2 || *r.Unseen[0] != (Unseen{Name: "a.U", Objects: 1, Bytes: 32, allocations: 1}) || r.Unseen[1].Objects != 1 {
		t.Errorf("unseen are %+v", r.Unseen)
	}
}

// Records without addresses: no more births and deaths than the runtime has of the type.
func TestCounts(t *testing.T) {
	for _, test := range []struct {
		records []profile.Record
		want    [NumClasses]uint64
	}{
		{[]profile.Record{died(5*ms, 1), born(6 * ms)}, [NumClasses]uint64{}},
		{[]profile.Record{born(5 * ms), born(6 * ms), born(7 * ms)}, [NumClasses]uint64{NoAllocation: 1}},
		{[]profile.Record{died(5*ms, 1), died(6*ms, 1)}, [NumClasses]uint64{NotFreed: 1}},
	} {
		p := run(test.records...)
		p.Observer = format.ObserverCleanup
		second := alloc(6 * ms)
		second.Addr += 48
		r, err := Compare(p, sequence(alloc(5*ms), second, cycles[0], free(11*ms), cycles[1]))
		if err != nil {
			t.Fatal(err)
		}
		if r.Objects || r.Classes != test.want {
			t.Errorf("%d records: disagreements are %v, want %v", len(test.records), r.Classes, test.want)
		}
	}
}

func TestRuntimeName(t *testing.T) {
	for ours, want := range map[string]string{
		"example.com/a/b.T":                   "b.T",
		"[]example.com/a/b.T":                 "b.T",
		"[]*example.com/a/b.T":                "*b.T",
		"[]byte":                              "uint8",
		"[]any":                               "interface {}",
		"map[string]example.com/a/b.T":        "maps.Map",
		"[3]example.com/a/b.T":                "[3]b.T",
		"example.com/a.P[example.com/b/c.T]":  "a.P[c.T]",
		"struct{x example.com/a/b.T; y *c.d}": "struct{x b.T; y *c.d}",
	} {
		if got := runtimeName(ours); got != want {
			t.Errorf("runtimeName(%s) is %s, want %s", ours, got, want)
		}
	}
}

// The first cycle of a trace is known by its time, or by how many had started at the start.
func TestFirstCycle(t *testing.T) {
	p := run(died(5*ms, 8))
	p.Records[0].BirthCycle = 7
	p.Cycles = nil
	p.Timeline = []profile.Tick{{Cycle: 7}, {Time: 30 * ms, Cycle: 8}}
	for name, test := range map[string]struct {
		events []Event
		want   uint64
	}{
		"idle":   {[]Event{alloc(5 * ms), {Kind: Mark, Time: 9 * ms}, cycles[0], free(11 * ms)}, 0},
		"active": {[]Event{{Kind: Mark, Time: 1 * ms}, cycles[0], alloc(5 * ms), cycles[1], free(21 * ms)}, 0},
		"wrong":  {[]Event{alloc(5 * ms), cycles[0], cycles[1], free(21 * ms)}, 1},
	} {
		r, err := Compare(p, sequence(test.events...))
		if err != nil {
			t.Fatal(err)
		}
		if r.Classes[WrongCycle] != test.want || r.Disagreements() != test.want {
			t.Errorf("%s: disagreements are %v", name, r.Classes)
		}
	}
}

// The first mark phase of a trace ends long after the clock was stopped, and shortly before the next.
func TestFirstCycleSlow(t *testing.T) {
	p := run(died(5*ms, 1))
	p.Cycles[0].End = 19 * ms
	first := cycles[0]
	first.Time = 18 * ms
	r, err := Compare(p, sequence(alloc(5*ms), first, free(19*ms), cycles[1]))
	if err != nil {
		t.Fatal(err)
	}
	if r.Disagreements() != 0 || r.CycleTimes != (Agreement{Agree: 2, Of: 2}) {
		t.Errorf("disagreements are %v, cycle times %+v", r.Classes, r.CycleTimes)
	}
}
