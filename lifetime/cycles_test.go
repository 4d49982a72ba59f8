package lifetime

import (
	"bytes"
	"testing"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
	"github.com/filip-go/filip/profile/profiletest"
)

// collected is a profile of cycles 1, 2, 3, 5 and 6; of 4 there is but the census, and 6 was noted
// down after the next had begun.
func collected(t *testing.T) *profile.Profile {
	t.Helper()
	f := profiletest.New(10)
	f.U32(format.HeaderObserver, format.ObserverCensus)
	f.Cycle(profiletest.Cycle{Number: 1, Start: 90, Mark: 100, MarkEnd: 140, End: 150, Pause: 20, HeapMarked: 500, HeapGoal: 1000,
		Assist: 10, Background: 60, Idle: 20, CPU: 100, Noted: 155, Objects: 100, Bytes: 4000, OwnObjects: 10, OwnBytes: 400})
	f.Cycle(profiletest.Cycle{Number: 2, Flags: format.GCForced, Start: 190, Mark: 200, MarkEnd: 230, End: 240, Pause: 30, HeapMarked: 600, HeapGoal: 1200,
		Assist: 15, Background: 120, Idle: 20, CPU: 170, Noted: 245, Objects: 160, Bytes: 7000, OwnObjects: 20, OwnBytes: 500})
	f.Cycle(profiletest.Cycle{Number: 3, Start: 290, Mark: 300, MarkEnd: 360, End: 370, Pause: 40, HeapMarked: 700, HeapGoal: 1400,
		Assist: 16, Background: 180, Idle: 50, CPU: 300, Noted: 375, Objects: 260, Bytes: 12000, OwnObjects: 30, OwnBytes: 500})
	f.Cycle(profiletest.Cycle{Number: 5, Start: 490, Mark: 500, MarkEnd: 600, End: 610, Pause: 10, HeapMarked: 800, HeapGoal: 1600,
		Assist: 30, Background: 200, Idle: 60, CPU: 400, Noted: 615, Objects: 560, Bytes: 22000, OwnObjects: 40, OwnBytes: 600})
	f.Cycle(profiletest.Cycle{Number: 6, Flags: format.GCPartial | format.GCForced, Assist: 30, Background: 250, Idle: 60, CPU: 460,
		Noted: 715, Objects: 660, Bytes: 23000, OwnObjects: 40, OwnBytes: 600})
	for n, took := range map[uint32]uint64{1: 7, 2: 3, 3: 5, 4: 9} {
		f.Census(n, 160*uint64(n), took, 2, 10*uint64(n), uint64(n))
	}
	f.Time(1, format.CauseStart)
	f.Time(900, format.CauseEnd, 7, 900, 40000, 800, 460, 50, 700)
	p, err := profile.Decode(bytes.NewReader(f.Bytes()), "t.filip")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCyclesHaveTheirOwnCPUTime(t *testing.T) {
	type figures struct {
		number    uint32
		noted     bool
		allocated Count
		cpu       CPU
		hasCPU    bool
		mark      int64
		census    bool
	}
	want := []figures{
		{1, true, Count{90, 3600}, CPU{10, 60, 20, 100}, true, 40, true},
		{2, true, Count{140, 6500}, CPU{5, 60, 0, 70}, true, 30, true},
		{3, true, Count{230, 11500}, CPU{1, 60, 30, 130}, true, 60, true},
		{4, false, Count{}, CPU{}, false, -1, true},
		{5, true, Count{520, 21400}, CPU{}, false, 100, false}, // the cycle before is not known
		{6, true, Count{620, 22400}, CPU{0, 50, 0, 60}, true, -1, false},
	}
	got := Cycles(collected(t))
	if len(got) != len(want) {
		t.Fatalf("%d cycles", len(got))
	}
	for i := range got {
		c := &got[i]
		mark, ok := c.MarkTime()
		if !ok {
			mark = -1
		}
		if f := (figures{c.Number, c.Noted, c.Allocated, c.CPU, c.HasCPU, mark, c.HasCensus()}); f != want[i] {
			t.Errorf("got  %+v\nwant %+v", f, want[i])
		}
	}
}

func TestCPUTimeIsUnknownWhereTheCycleBeforeHasNone(t *testing.T) {
	at := func(cpu int64) profile.Tick { return profile.Tick{Cause: format.CauseGC, GCCPU: cpu} }
	p := &profile.Profile{Cycles: []profile.Cycle{{Number: 2, At: at(50)}, {Number: 3}, {Number: 4, At: at(80)}, {Number: 5, At: at(0)}, {Number: 6, At: at(90)}, {Number: 7, At: at(89)}}}
	for _, c := range Cycles(p) {
		if c.HasCPU {
			t.Errorf("cycle %d took %+v", c.Number, c.CPU)
		}
	}
}

func TestCollection(t *testing.T) {
	want := Collection{
		Noted: 5, Forced: 2,
		Pauses: Times{4, 100, 25, 40},
		Marks:  Times{4, 230, 50, 100},
		CPU:    CPU{30, 250, 60, 460}, HasSplit: true,
		Live: 800, Goal: 1600, HasGoal: true,
		Between: Count{90, 2900}, HasBetween: true, // of 50, 90 and 100; of 2900, 5000 and 1000
		Censuses:      Times{4, 24, 6, 9},
		CensusStopped: 8, CensusRecords: 100,
	}
	if got := *Collect(collected(t)); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestCollectionOfAProfileWithoutCyclesIsThatOfItsTimeline(t *testing.T) {
	p := &profile.Profile{Timeline: []profile.Tick{
		{Time: 1, Cause: format.CauseStart},
		{Time: 10, Cause: format.CauseGC, Cycle: 1, Objects: 10, Bytes: 100},
		{Time: 15, Cause: format.CauseTick, Cycle: 1, Objects: 12, Bytes: 110},
		{Time: 20, Cause: format.CauseGC, Cycle: 2, Objects: 30, Bytes: 400, OwnObjects: 5, OwnBytes: 80},
		{Time: 30, Cause: format.CauseGC, Cycle: 4, Objects: 90, Bytes: 900, Live: 70, GCCPU: 8},
	}}
	want := Collection{CPU: CPU{Total: 8}, Live: 70, Between: Count{15, 220}, HasBetween: true}
	if got := *Collect(p); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := *Collect(new(profile.Profile)); got != (Collection{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestHeapWithoutGoal(t *testing.T) {
	for goal, want := range map[uint64]bool{0: false, 4 << 20: true, 1<<64 - 1: false} {
		c := Cycle{Cycle: &profile.Cycle{Goal: goal}}
		if _, ok := c.HeapGoal(); ok != want {
			t.Errorf("goal %d is known: %v", goal, ok)
		}
	}
}
