package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
	"github.com/filip-go/filip/profile/profiletest"
)

// fewCycles is a run with FILIP_GC and GOGC=off of cycles 1, 2 and 4: of 3 there is but the
// census, and 4 was noted down after the next had begun.
func fewCycles(t *testing.T) *profile.Profile {
	f := profiletest.New(1)
	f.U32(format.HeaderObserver, format.ObserverCensus)
	f.U32(format.HeaderCensus, 3)
	f.U64(format.HeaderGCPeriod, 50e6)
	f.Cycle(profiletest.Cycle{Number: 1, Start: 10e6, Mark: 11e6, MarkEnd: 14e6, End: 15e6, Pause: 2e6, HeapStart: 4e6, HeapEnd: 5e6, HeapMarked: 1e6, HeapGoal: 2e6,
		Assist: 100, Background: 600, Idle: 200, CPU: 1000, Noted: 16e6, Objects: 50_000, Bytes: 4_100_000, OwnObjects: 100, OwnBytes: 100_000})
	f.Cycle(profiletest.Cycle{Number: 2, Flags: format.GCForced, Start: 60e6, Mark: 61e6, MarkEnd: 65e6, End: 66e6, Pause: 2e6, HeapStart: 9e6, HeapEnd: 9e6, HeapMarked: 3e6, HeapGoal: 1<<64 - 1,
		Assist: 100, Background: 1400, Idle: 300, CPU: 2200, Noted: 67e6, Objects: 90_000, Bytes: 9_100_000, OwnObjects: 100, OwnBytes: 100_000})
	f.Census(1, 16_500_000, 400_000, 5_000, 2000, 900)
	f.Census(2, 67_500_000, 600_000, 6_000, 2500, 1000)
	f.Census(3, 117_500_000, 700_000, 7_000, 2600, 1100)
	f.Cycle(profiletest.Cycle{Number: 4, Flags: format.GCForced | format.GCPartial, CPU: 9900, Noted: 170e6, Objects: 190_000, Bytes: 19_100_000, OwnObjects: 100, OwnBytes: 100_000})
	f.Time(200e6, format.CauseEnd, 5, 200_000, 20_000_000, 3e6, 9900, 100, 100_000)
	return decode(t, f)
}

func TestForcedRunIsWarnedOf(t *testing.T) {
	without := decode(t, func() *profiletest.File {
		f := profiletest.New(1)
		f.U64(format.HeaderGCPeriod, 1500e6)
		return f
	}())
	for _, test := range []struct {
		p    *profile.Profile
		want string
	}{
		{fewCycles(t), "Warning   FILIP_GC forced a collection whenever none had ended for 50.0ms (2 of 3 cycles forced): "},
		{without, "Warning   FILIP_GC forced a collection whenever none had ended for 1.50s: the program did not "},
	} {
		if got := string(write(t, Options{Width: 200}, test.p)); !strings.Contains(got, test.want) {
			t.Errorf("no %q in\n%s", test.want, got)
		}
	}
	if got := string(write(t, Options{}, realistic(t, collected))); strings.Contains(got, "FILIP_GC") {
		t.Errorf("a warning in a run without FILIP_GC:\n%s", got)
	}
}

// oddCycles are cycles whose figures are as large as they can be, and contradict each other.
func oddCycles(t *testing.T) *profile.Profile {
	const most, latest = 1<<64 - 1, 1 << 62
	f := profiletest.New(1)
	f.U32(format.HeaderObserver, format.ObserverCensus)
	f.U64(format.HeaderGCPeriod, latest)
	f.Cycle(profiletest.Cycle{Number: 1 << 31, Flags: most >> 32, Start: 5, Mark: latest, MarkEnd: 7, End: 1, Pause: latest, Noted: 3, OwnBytes: most})
	for n := range uint32(3) {
		f.Cycle(profiletest.Cycle{Number: 1<<32 - 3 + n, Flags: most >> 32, Start: latest, Mark: 1, MarkEnd: latest, End: latest, Pause: latest,
			HeapStart: most, HeapEnd: most, HeapMarked: most, HeapGoal: most, Assist: latest, Background: latest, Idle: latest, CPU: 1 + uint64(n)*latest/4,
			Noted: latest, Objects: most, Bytes: most})
		f.Census(1<<32-3+n, latest, latest, latest, most, most)
	}
	return decode(t, f)
}

func TestCyclesStayWithinTheWidthAndAligned(t *testing.T) {
	for _, p := range []*profile.Profile{oddCycles(t), fewCycles(t), realistic(t, collected)} {
		for width := minWidth; width < 150; width++ {
			text := string(write(t, Options{GC: true, Width: width}, p))
			row, title := 0, 0
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				n := len([]rune(line))
				if n > width {
					t.Fatalf("width %d: %d runes: %s", width, n, line)
				}
				if strings.Contains(line, "CYCLE") {
					title = n
				}
				if title > 0 && line == "" {
					break
				}
				if title > 0 {
					row++
					if n != title {
						t.Fatalf("width %d: %d runes below a title of %d: %s", width, n, title, line)
					}
				}
			}
			if row < 4 {
				t.Fatalf("width %d: %d rows in\n%s", width, row, text)
			}
		}
	}
}

func TestLastCyclesAreShown(t *testing.T) {
	f := profiletest.New(1)
	for n := range uint32(DefaultCycles + 5) {
		f.Cycle(profiletest.Cycle{Number: n + 1, Noted: uint64(n + 1)})
	}
	p := decode(t, f)
	for _, test := range []struct{ top, first, last int }{
		{0, 6, DefaultCycles + 5},
		{3, DefaultCycles + 3, DefaultCycles + 5},
		{All, 1, DefaultCycles + 5},
	} {
		rows := bytes.Split(bytes.SplitN(write(t, Options{GC: true, Top: test.top}, p), []byte("CYCLE"), 2)[1], []byte("\n"))
		last := rows[test.last-test.first+1]
		if !strings.HasPrefix(string(rows[1]), fmt.Sprintf("%5d ", test.first)) || !strings.HasPrefix(string(last), fmt.Sprintf("%5d ", test.last)) {
			t.Errorf("top %d: first %q, last %q", test.top, rows[1], last)
		}
	}
}
