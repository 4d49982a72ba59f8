package report

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
	"github.com/filip-go/filip/profile/profiletest"
)

// A pattern is a site and how its objects live.
type pattern struct {
	kind               format.Kind
	typ, pkg, function string
	file               string
	line               int
	bytes              uint64
	samples            int
	life               int64   // ns, mean of those that die
	survive            float64 // share
}

const csvq = "github.com/mithrandie/csvq/lib/"
const mod = "/home/me/go/pkg/mod/github.com/mithrandie/csvq@v1.18.1/lib/"

var patterns = []pattern{
	{format.KindMake, "[]" + csvq + "query.Cell", csvq + "query", "query.NewRecord", mod + "query/record.go", 31, 160, 2010, 0, 1},
	{format.KindMake, "[]" + csvq + "value.Primary", csvq + "query", "query.loadViewFromCSVFile.func2", mod + "query/view.go", 612, 96, 2003, 41e6, .02},
	{format.KindComposite, csvq + "value.String", csvq + "value", "value.NewString", mod + "value/type.go", 142, 16, 11987, 3e6, .63},
	{format.KindMake, "[]uint8", "bufio", "bufio.NewReaderSize", "/usr/local/go/src/bufio/bufio.go", 57, 65536, 1, 0, 1},
	{format.KindComposite, csvq + "value.Integer", csvq + "value", "value.NewInteger", mod + "value/type.go", 201, 8, 1480, 2e6, 0},
	{format.KindMake, "map[string]map[" + csvq + "parser.Identifier]*" + csvq + "query.ReferenceScope", csvq + "query", "query.(*ReferenceScope).CreateScopeWithOptionsForRecursiveEvaluation", mod + "query/reference_scope.go", 1187, 48, 402, 120e6, .1},
	{format.KindNew, "sync.Mutex", csvq + "file", "file.(*Container).CreateHandlerForRead", mod + "file/container.go", 77, 8, 3, 0, 1},
	{format.KindMake, "chan error", csvq + "query", "query.(*GoroutineTaskManager).Run", mod + "query/goroutine_manager.go", 54, 96, 13, 9e6, 0},
	{format.KindComposite, "strings.Builder", "strings", "strings.Join", "/usr/local/go/src/strings/strings.go", 480, 32, 640, 4e5, 0},
	{format.KindComposite, "struct { Name string \"json:\\\"a/b\\\"\"; Cells []" + csvq + "query.Cell }", "main", "main.main.func1", "/work/demo/main.go", 12, 40, 77, 600e6, .4},
	{format.KindMake, "map[string]int", csvq + "query", "query.(*View).group", mod + "query/view.go", 1390, 48, 55, 700e6, 0},
	{format.KindNew, csvq + "option.Flags", csvq + "option", "option.NewFlags", mod + "option/flag.go", 339, 416, 1, 0, 1},
}

// realistic is a profile as a run of a CSV query tool gives it.
func realistic(t testing.TB, edit ...func(f *profiletest.File)) *profile.Profile {
	t.Helper()
	const end = 3_214_567_890
	rng := rand.New(rand.NewPCG(7, 11))
	f := profiletest.New(1000)
	f.End(format.EndExit)
	f.Program("csvq", "-f", "query.sql")
	f.Dropped(format.DroppedNotHeap, 2210)
	f.Dropped(format.DroppedZeroSize, 14)
	for _, p := range patterns {
		id := f.Site(format.Site{File: p.file, Line: p.line, Column: 9, Function: p.function, Package: p.pkg, Kind: p.kind, Type: p.typ, Bytes: -1})
		for range p.samples {
			r := profiletest.Record{Birth: rng.Int64N(end), Bytes: p.bytes, Site: id, Weight: 1000, Level: uint32(bits.TrailingZeros32(rng.Uint32() | 1<<20))}
			r.BirthCycle = uint32(r.Birth / 56e6)
			if rng.Float64() >= p.survive {
				life := int64(rng.ExpFloat64() * float64(p.life))
				if r.Birth+life < end {
					r.Dead, r.End = true, r.Birth+life
					r.DeathCycle = uint32(r.End/56e6) + 1
				}
			}
			r.Shared = p.typ == csvq+"value.Integer" && rng.IntN(10) == 0
			f.Record(r)
		}
	}
	f.Time(1, format.CauseStart)
	f.Time(end/2, format.CauseGC, 28, 11_000_000, 700_000_000, 260_000_000, 160_000_000, 5_000, 700_000)
	f.Time(end, format.CauseEnd, 57, 20_134_567, 1_487_654_321, 412_345_678, 321_000_000, 9_876, 1_234_567)
	for _, e := range edit {
		e(f)
	}
	p, err := profile.Decode(bytes.NewReader(f.Bytes()), "csvq.4242.filip")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// collected makes the run one of a census, whose cycles end every 56 ms as realistic's deaths
// have it. Of cycle 20 there is but the census, and cycle 31 was noted late.
func collected(f *profiletest.File) {
	const period = 56_000_000
	rng := rand.New(rand.NewPCG(3, 5))
	f.U32(format.HeaderObserver, format.ObserverCensus)
	f.U32(format.HeaderCensus, 56)
	c := profiletest.Cycle{HeapGoal: 4 << 20}
	for n := uint64(1); n <= 57; n++ {
		mark := 1_000_000 + n*100_000 + rng.Uint64N(300_000)
		c.Number, c.Flags = uint32(n), 0
		if n%20 == 0 {
			c.Flags = format.GCForced // the program calls runtime.GC
		}
		c.End = n * period
		c.MarkEnd = c.End - 40_000 - rng.Uint64N(20_000)
		c.Mark = c.MarkEnd - mark
		c.Start = c.Mark - 30_000 - rng.Uint64N(20_000)
		c.Pause = c.Mark - c.Start + c.End - c.MarkEnd
		c.HeapStart = c.HeapGoal - rng.Uint64N(1<<18)
		c.Bytes += c.HeapStart - c.HeapMarked
		c.Objects += (c.HeapStart - c.HeapMarked) / 72
		c.HeapEnd = c.HeapStart + rng.Uint64N(1<<20)
		c.HeapMarked = 3<<20 + n<<19 + rng.Uint64N(1<<18)
		c.HeapGoal = 2 * c.HeapMarked
		assist, background, idle := mark/20, mark/2+rng.Uint64N(mark/10), mark/5
		c.Assist += assist
		c.Background += background
		c.Idle += idle
		c.CPU += assist + background + idle + 2*c.Pause
		c.Noted = c.End + 25_000
		c.OwnObjects, c.OwnBytes = 900+n, 100_000+512*n
		switch n {
		case 20:
		case 31:
			late := c
			late.Flags |= format.GCPartial
			late.Start, late.Mark, late.Pause, late.HeapStart, late.HeapEnd = 0, 0, 0, 0, 0
			f.Cycle(late)
		default:
			f.Cycle(c)
		}
		if n < 57 {
			f.Census(uint32(n), c.End+150_000, 20_000+18*300*n, 2_000+rng.Uint64N(3_000), 300*n, 100*n)
		}
	}
}

// everyPeriod is a run with FILIP_GC=56ms.
func everyPeriod(f *profiletest.File) { f.U64(format.HeaderGCPeriod, 56e6) }
