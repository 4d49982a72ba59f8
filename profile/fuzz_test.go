package profile

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile/profiletest"
)

var update = flag.Bool("update", false, "rewrite the seed corpus of FuzzDecode")

// seeds are files that reach every part of the decoder.
func seeds() map[string][]byte {
	whole := profiletest.New(1000)
	whole.Program("app", "-v")
	whole.Meta(format.MetaNote, "a note")
	a, b := whole.Site(siteA), whole.Site(siteB)
	whole.Record(profiletest.Record{Birth: 10, End: 90, Bytes: 24, Site: a, DeathCycle: 1, Weight: 1000, Dead: true})
	whole.Record(profiletest.Record{Birth: 20, Bytes: 400, Site: b, Weight: 1000, Level: 1})
	whole.Record(profiletest.Record{Birth: 30, Bytes: 8, Site: a, Weight: 1000, Shared: true, Level: 2})
	whole.U32(format.HeaderStackDepth, 16)
	stack := whole.Stack(1, 2)
	whole.Frame("x/a.F", "/src/a.go", 3)
	whole.Frame("main.main", "/src/main.go", 9)
	whole.Record(profiletest.Record{Birth: 40, Bytes: 24, Site: a, Stack: stack, Weight: 1000})
	whole.Time(100, format.CauseEnd, 2, 5000, 60000, 700, 9, 50, 600)

	unfinished := profiletest.New(1)
	unfinished.Room(16)
	off := unfinished.Meta("k", "v")
	unfinished.U64(off, le.Uint64(unfinished.Bytes()[off:])&^(1<<63))
	unfinished.Time(100, format.CauseTick)
	unfinished.Stack(unfinished.Frame("x/a.F", "/src/a.go", 3), 99)
	claimed := unfinished.Record(profiletest.Record{Site: 7})
	unfinished.U32(claimed+format.RecordState, format.StateClaimed)
	unfinished.Record(profiletest.Record{Site: 9})
	unfinished.U64(format.HeaderBlocks, 1<<40)

	thinned := profiletest.New(3)
	thinned.Level(2)
	a = thinned.Site(siteA)
	thinned.SiteID(1<<31, siteA)
	thinned.Record(profiletest.Record{Site: a, Level: 1})
	thinned.Record(profiletest.Record{Site: 1 << 31, Level: 3})

	cycles := census()
	a = cycles.Site(siteA)
	cycles.Cycle(cycle3)
	cycles.Census(3, 230, 15, 5, 60, 20)
	cycles.Census(4, 240, 16, 6, 61, 21)
	cycles.Cycle(profiletest.Cycle{Number: 4e9, Flags: format.GCPartial, Start: 250, End: 270, Noted: 280})
	for _, cycle := range []uint32{0, 3, 4, math.MaxUint32} {
		cycles.Record(profiletest.Record{Birth: 50, Addr: 0xc000012340, Site: a, DeathCycle: cycle, Dead: true})
	}

	return map[string][]byte{
		"whole":      whole.Bytes(),
		"unfinished": unfinished.Bytes(),
		"thinned":    thinned.Bytes(),
		"cycles":     cycles.Bytes(),
		"cut":        whole.Bytes()[:format.HeaderSize+format.BlockSize+100],
		"header":     profiletest.New(1).Bytes(),
		"magic":      []byte(format.Magic),
	}
}

func TestSeedCorpusIsOfThisFormat(t *testing.T) {
	for name, data := range seeds() {
		file := filepath.Join("testdata", "fuzz", "FuzzDecode", name)
		want := fmt.Appendf(nil, "go test fuzz v1\n[]byte(%q)\n", data)
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date (error %v): go test -run TestSeedCorpus -update", file, err)
		}
	}
}

// FuzzDecode checks that whatever the file holds, Decode neither panics nor allocates out of
// proportion to it, and that what it accepts is sound.
func FuzzDecode(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		before := allocated()
		p, err := Decode(bytes.NewReader(data), "fuzz.filip")
		if n, limit := allocated()-before, uint64(32*len(data)+1<<20); n > limit {
			t.Errorf("%d bytes allocated for a file of %d", n, len(data))
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read fuzz.filip: offset ") {
				t.Errorf("error does not name file and offset: %v", err)
			}
			return
		}
		for _, r := range p.Records {
			if int(r.Site) >= len(p.Sites) {
				t.Errorf("record of site %d of %d", r.Site, len(p.Sites))
			}
			if r.Stack != 0 && int(r.Stack) >= len(p.Stacks) {
				t.Errorf("record of stack %d of %d", r.Stack, len(p.Stacks))
			}
			if !(r.Weight > 0 && r.Weight < 1e30) || r.Birth < 0 || r.Dead && r.Death < r.Birth {
				t.Errorf("record %+v", r)
			}
		}
		for i, stack := range p.Stacks {
			if i > 0 == (len(stack) == 0) {
				t.Errorf("stack %d has %d frames", i, len(stack))
			}
			for _, frame := range stack {
				if int(frame) >= len(p.Frames) {
					t.Errorf("frame %d of %d", frame, len(p.Frames))
				}
			}
		}
		for i := range p.Timeline {
			if i > 0 && p.Timeline[i].Time < p.Timeline[i-1].Time {
				t.Errorf("timeline goes from %d to %d", p.Timeline[i-1].Time, p.Timeline[i].Time)
			}
		}
		for i := range p.Cycles {
			if i > 0 && p.Cycles[i].Number <= p.Cycles[i-1].Number {
				t.Errorf("cycle %d after cycle %d", p.Cycles[i].Number, p.Cycles[i-1].Number)
			}
		}
		if p.Duration() < 0 || !(p.EffectiveRate() > 0) {
			t.Errorf("duration %d, rate %v", p.Duration(), p.EffectiveRate())
		}
	})
}

// allocated is how many bytes the heap has handed out so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
