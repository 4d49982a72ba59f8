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
