package lifetime

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
	"github.com/filip-go/filip/profile/profiletest"
)

func TestSum(t *testing.T) {
	const duration = 1000
	dead := func(birth, death int64, w float32) profile.Record {
		return profile.Record{Birth: birth, Death: death, Dead: true, Bytes: 16, Weight: w}
	}
	alive := func(birth int64, w float32) profile.Record {
		return profile.Record{Birth: birth, Bytes: 32, Weight: w}
	}
	tiny := func(w float32) profile.Record {
		return profile.Record{Birth: 5, Death: 105, Dead: true, Bytes: 8, Weight: w, Shared: true}
	}
	tests := []struct {
		name                              string
		records                           []profile.Record
		objects, bytes, survivors, shared float64
		mean, relative                    float64 // NaN unknown
		class                             Class
	}{
		{"none", nil, 0, 0, 0, 0, math.NaN(), math.NaN(), Unknown},
		{"one dead", []profile.Record{dead(100, 150, 1)}, 1, 16, 0, 0, 50, 0.05, Short},
		{"just long-lived", []profile.Record{dead(100, 151, 1)}, 1, 16, 0, 0, 51, 0.051, Long},
		{"one survivor dies at the end", []profile.Record{alive(400, 1)}, 1, 32, 1, 0, 600, 0.6, Long},
		// (3·10 + 1·600) / 4
		{"weights", []profile.Record{dead(0, 10, 3), alive(400, 1)}, 4, 80, 1, 0, 157.5, 0.1575, Long},
		// (2·10 + 6·100) / 8: the tiny ones die with their blocks
		{"shared", []profile.Record{dead(0, 10, 2), tiny(6)}, 8, 80, 0, 6, 77.5, 0.0775, Long},
		{"born after the end", []profile.Record{alive(1001, 1)}, 1, 32, 1, 0, 0, 0, Short},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var whole, left, right Sum
			for i := range test.records {
				whole.add(&test.records[i], duration)
				half := &left
				if i%2 == 1 {
					half = &right
				}
				half.add(&test.records[i], duration)
			}
			left.merge(right)
			if left != whole {
				t.Errorf("merged %+v, added %+v", left, whole)
			}
			mean, ok := whole.MeanLifetime()
			if !ok {
				mean = math.NaN()
			}
			relative, ok := whole.RelativeLifetime(duration)
			if !ok {
				relative = math.NaN()
			}
			got := []float64{whole.Objects, whole.Bytes, whole.Survivors, whole.Shared, mean, relative}
			want := []float64{test.objects, test.bytes, test.survivors, test.shared, test.mean, test.relative}
			if slices.CompareFunc(got, want, cmp.Compare[float64]) != 0 {
				t.Errorf("objects, bytes, survivors, shared, mean, relative = %v, want %v", got, want)
			}
			if got := whole.Class(duration); got != test.class {
				t.Errorf("class %q, want %q", got, test.class)
			}
		})
	}
	if _, ok := whole1().RelativeLifetime(0); ok {
		t.Error("a run without length has relative lifetimes")
	}
}

func whole1() Sum { return Sum{Samples: 1, Objects: 1} }

var (
	siteF = format.Site{File: "a.go", Line: 1, Column: 2, Function: "a.F", Package: "x/a", Kind: format.KindNew, Type: "T", Bytes: 8}
	siteG = format.Site{File: "a.go", Line: 1, Column: 9, Function: "a.F", Package: "x/a", Kind: format.KindMake, Type: "[]T", Bytes: -1}
	siteH = format.Site{File: "b.go", Line: 1, Column: 2, Function: "a.H", Package: "x/a", Kind: format.KindNew, Type: "T", Bytes: 8}
	siteI = format.Site{File: "a.go", Line: 1, Column: 2, Function: "a.F", Package: "y/a", Kind: format.KindNew, Type: "U", Bytes: 8}
)

// run is a profile of one object of siteF, two of siteG, three of siteH, four of siteI, and
// of a site without objects.
func run(t *testing.T) *profile.Profile {
	t.Helper()
	f := profiletest.New(10)
	for n, s := range []format.Site{siteF, siteG, siteH, siteI} {
		id := f.Site(s)
		for range n + 1 {
			f.Record(profiletest.Record{Birth: 100, Bytes: 16, Site: id, BirthCycle: 3, Weight: 10})
		}
	}
	f.Site(format.Site{File: "never.go"})
	f.Record(profiletest.Record{Birth: 150, End: 200, Bytes: 8, Site: 4, BirthCycle: 3, DeathCycle: 4, Weight: 10, Dead: true})
	f.Time(1, format.CauseStart)
	f.Time(120, format.CauseGC, 3, 220, 3600, 77, 5, 20, 400)
	p, err := profile.Decode(bytes.NewReader(f.Bytes()), "t.filip")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSummaryOfTheRun(t *testing.T) {
	s := Summarize(run(t), BySite, nil)
	if s.Duration != 200 || s.Cycles != 4 || s.Live != 77 || s.GCCPU != 5 {
		t.Errorf("duration %d, cycles %d, live %d, GC CPU %d", s.Duration, s.Cycles, s.Live, s.GCCPU)
	}
	if s.Heap != (Count{200, 3200}) || s.Own != (Count{20, 400}) {
		t.Errorf("heap %+v, own %+v", s.Heap, s.Own)
	}
	// The object born at 150 is not among those counted at 120.
	if s.Seen != (Seen{100, 1600}) {
		t.Errorf("seen %+v", s.Seen)
	}
	if c, ok := s.Coverage(); c != 0.5 || !ok {
		t.Errorf("coverage %v, %v", c, ok)
	}
	if c, ok := s.CoverageBytes(); c != 0.5 || !ok {
		t.Errorf("coverage of bytes %v, %v", c, ok)
	}
	if s.Total.Samples != 11 || s.Total.Objects != 110 || s.Total.Survivors != 100 {
		t.Errorf("total %+v", s.Total)
	}
}

func TestCoverageIsUnknownWithoutTimeline(t *testing.T) {
	s := Summarize(&profile.Profile{Rate: 1}, BySite, nil)
	if _, ok := s.Coverage(); ok || s.Duration != 0 || len(s.Groups) != 0 {
		t.Errorf("summary of nothing: %+v", s)
	}
}

func TestOwnAllocationsNeverMakeTheHeapNegative(t *testing.T) {
	s := Summarize(&profile.Profile{Timeline: []profile.Tick{{Objects: 5, OwnObjects: 6, Bytes: 50, OwnBytes: 20}}}, BySite, nil)
	if s.Heap != (Count{0, 30}) {
		t.Errorf("heap %+v", s.Heap)
	}
}

func TestGroups(t *testing.T) {
	type group struct {
		site    format.Site
		sites   int
		objects float64
	}
	site := func(edit func(*format.Site), s format.Site) format.Site {
		edit(&s)
		return s
	}
	tests := []struct {
		by   By
		want []group
	}{
		{BySite, []group{{siteF, 1, 10}, {siteG, 1, 20}, {siteH, 1, 30}, {siteI, 1, 50}}},
		{ByType, []group{
			{format.Site{Package: "x/a", Kind: format.KindNew, Type: "T", Bytes: 8}, 2, 40},
			{siteG, 1, 20},
			{siteI, 1, 50},
		}},
		{ByFunction, []group{
			{site(func(s *format.Site) { s.Column, s.Kind, s.Type, s.Bytes = 0, 0, "", -1 }, siteF), 2, 30},
			{siteH, 1, 30},
			{siteI, 1, 50},
		}},
		{ByKind, []group{{format.Site{Line: 0, Kind: format.KindNew, Bytes: 8}, 3, 90}, {siteG, 1, 20}}},
		{ByPackage, []group{
			{format.Site{Package: "x/a", Bytes: -1}, 3, 60},
			{siteI, 1, 50},
		}},
	}
	for _, test := range tests {
		t.Run(string(test.by), func(t *testing.T) {
			var got []group
			for _, g := range Summarize(run(t), test.by, nil).Groups {
				got = append(got, group{g.Site, g.Sites(), g.Objects})
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestGroupsByStack(t *testing.T) {
	f := profiletest.New(1)
	a, b := f.Site(siteF), f.Site(siteG)
	inner, outer := f.Frame("a.F", "a.go", 1), f.Frame("main.main", "main.go", 2)
	one, two := f.Stack(inner, outer), f.Stack(inner)
	for _, r := range []profiletest.Record{
		{Site: a}, {Site: a, Stack: one}, {Site: b, Stack: one, Weight: 5}, {Site: a, Stack: two},
		{Site: b}, {Site: a, Stack: one}, {Site: a, Stack: 99},
	} {
		r.Bytes = 16
		f.Record(r)
	}
	p, err := profile.Decode(bytes.NewReader(f.Bytes()), "t.filip")
	if err != nil {
		t.Fatal(err)
	}
	type group struct {
		site    format.Site
		stack   uint32
		sites   int
		objects float64
	}
	groups := func(keep func(*format.Site) bool) (got []group) {
		for _, g := range Summarize(p, ByStack, keep).Groups {
			got = append(got, group{g.Site, g.Stack, g.Sites(), g.Objects})
		}
		return got
	}
	rest := format.Site{File: "a.go", Line: 1, Function: "a.F", Package: "x/a", Bytes: -1}
	want := []group{{siteF, 1, 1, 2}, {siteG, 1, 1, 5}, {siteF, 2, 1, 1}, {rest, 0, 2, 3}}
	if got := groups(nil); !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	want = []group{{siteG, 1, 1, 5}, {siteG, 0, 1, 1}}
	if got := groups(func(s *format.Site) bool { return s.Type == "[]T" }); !slices.Equal(got, want) {
		t.Errorf("of []T: got  %+v\nwant %+v", got, want)
	}
}

func TestCommonOfDifferentFilesHasNoLine(t *testing.T) {
	b := siteF
	b.File = "other.go"
	if c := common(siteF, b); c.File != "" || c.Line != 0 || c.Column != 0 || c.Function != "a.F" {
		t.Errorf("common %+v", c)
	}
	b = siteF
	b.Package = "y/a"
	if c := common(siteF, b); c.Function != "" || c.Line != 1 || c.Column != 2 {
		t.Errorf("common %+v", c)
	}
}

func TestKeepLimitsGroupsOnly(t *testing.T) {
	s := Summarize(run(t), ByPackage, func(s *format.Site) bool { return s.Type == "[]T" })
	if len(s.Groups) != 1 || s.Groups[0].Site != siteG || s.Groups[0].Objects != 20 {
		t.Errorf("groups %+v", s.Groups)
	}
	if s.Total.Objects != 110 || s.Seen.Objects != 100 {
		t.Errorf("total %+v, seen %+v", s.Total, s.Seen)
	}
}

func TestParseBy(t *testing.T) {
	for _, by := range allBy {
		if got, err := ParseBy(string(by)); got != by || err != nil {
			t.Errorf("%s: %s, %v", by, got, err)
		}
	}
	_, err := ParseBy("line")
	if err == nil || !strings.Contains(err.Error(), `"line"`) || !strings.Contains(err.Error(), "site, type, function, package, kind, stack") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkSummarize(b *testing.B) {
	p := &profile.Profile{Rate: 1, Sites: make([]format.Site, 2000), Records: make([]profile.Record, 5_000_000)}
	for i := range p.Sites {
		p.Sites[i].Line = i
	}
	for i := range p.Records {
		p.Records[i] = profile.Record{Birth: int64(i), Death: int64(i) + 1e6, Dead: i%4 > 0, Bytes: 48, Site: uint32(i*7919) % 2000, Weight: 1}
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(Summarize(p, BySite, nil).Groups) != 2000 {
			b.Fatal("groups are missing")
		}
	}
}
