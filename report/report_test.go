package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
	"github.com/filip-go/filip/profile/profiletest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func write(t *testing.T, opts Options, profiles ...*profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, profiles, opts); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(t *testing.T, f *profiletest.File) *profile.Profile {
	t.Helper()
	p, err := profile.Decode(bytes.NewReader(f.Bytes()), "t.filip")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// thinned is a run that was killed, with its file at its bound and samples lost.
func thinned(f *profiletest.File) {
	f.End(format.EndUnknown)
	f.Level(2)
	f.Dropped(format.DroppedThinned, 40_000)
	f.Dropped(format.DroppedContended, 7)
	f.Dropped(format.DroppedCleanup, 12)
	f.U64(format.HeaderBlocks, 100_000)
	f.Record(profiletest.Record{Site: 999, Weight: 1000, Level: 9})
	seen("composite,new,make")(f)
	f.Meta(format.MetaNote, "FILIP_MAX is less than 1MiB, using 1MiB, because a file has to hold at least the sites and the timeline")
}

// seen are the kinds of allocation that a program was built to see.
func seen(kinds string) func(*profiletest.File) {
	return func(f *profiletest.File) { f.Meta(format.MetaKinds, kinds) }
}

func TestGolden(t *testing.T) {
	empty := decode(t, profiletest.New(1000))
	tests := []struct {
		name     string
		opts     Options
		profiles []*profile.Profile
	}{
		{"site.txt", Options{}, []*profile.Profile{realistic(t)}},
		{"type.txt", Options{By: lifetime.ByType, Sort: SortObjects, Top: 5}, []*profile.Profile{realistic(t)}},
		{"function.txt", Options{By: lifetime.ByFunction, Sort: SortLifetime}, []*profile.Profile{realistic(t)}},
		{"package.txt", Options{By: lifetime.ByPackage, Sort: SortSurvivors}, []*profile.Profile{realistic(t)}},
		{"kind.txt", Options{By: lifetime.ByKind}, []*profile.Profile{realistic(t, seen("composite,new,make,append,string,box,map,reflect,variable,closure,variadic"))}},
		{"narrow.txt", Options{Width: 20, Top: 6}, []*profile.Profile{realistic(t)}},
		{"wide.txt", Options{Width: 170}, []*profile.Profile{realistic(t)}},
		{"focus.txt", Options{Focus: regexp.MustCompile(`view\.go:\d`)}, []*profile.Profile{realistic(t)}},
		{"thinned.txt", Options{Top: 3}, []*profile.Profile{realistic(t, thinned)}},
		{"two.txt", Options{Top: 1}, []*profile.Profile{realistic(t), empty}},
		{"nomatch.txt", Options{Focus: regexp.MustCompile("nowhere")}, []*profile.Profile{realistic(t)}},
		{"stack.txt", Options{By: lifetime.ByStack}, []*profile.Profile{stacked(t)}},
		{"stack.json", Options{By: lifetime.ByStack, JSON: true, Sort: SortObjects, Top: 3}, []*profile.Profile{stacked(t)}},
		{"site.json", Options{JSON: true}, []*profile.Profile{realistic(t)}},
		{"thinned.json", Options{JSON: true, By: lifetime.ByPackage, Top: 2}, []*profile.Profile{realistic(t, thinned)}},
		{"empty.json", Options{JSON: true}, []*profile.Profile{empty}},
		{"census.txt", Options{Top: 2}, []*profile.Profile{realistic(t, collected)}},
		{"cycles.json", Options{JSON: true}, []*profile.Profile{fewCycles(t)}},
		{"gc.txt", Options{GC: true}, []*profile.Profile{realistic(t, collected, everyPeriod)}},
		{"gcwide.txt", Options{GC: true, Top: 7, Width: 120}, []*profile.Profile{realistic(t, collected)}},
		{"gcnone.txt", Options{GC: true}, []*profile.Profile{realistic(t), empty}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := write(t, test.opts, test.profiles...)
			file := filepath.Join("testdata", test.name)
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("report differs from %s (-update rewrites it):\n%s", file, got)
			}
		})
	}
}

// nasty is a profile of sites whose names are as long, as short and as odd as names can be.
func nasty(t *testing.T) *profile.Profile {
	f := profiletest.New(1e15)
	f.Level(31)
	f.Program(strings.Repeat("name", 200), "a\x1b[31m")
	f.Meta(format.MetaNote, strings.Repeat("x", 300)+" \x1b]0;title\a "+strings.Repeat("word ", 60))
	for i := range format.NumDropped {
		f.Dropped(i, 1<<60)
	}
	f.U32(format.HeaderStackDepth, 1<<32-1)
	f.U64(format.HeaderStacksLost, 1<<64-1)
	names := []string{"", "a", strings.Repeat("long", 200), strings.Repeat("a/b/", 100) + "c.T", "\x1b[2Jred", "\xff\xfe", "größer·1", "a\nb", strings.Repeat("日", 90), "map[]/[*%~"}
	for i, name := range names {
		id := f.Site(format.Site{File: name, Line: 1 << 31, Column: 1 << 31, Function: names[(i+1)%len(names)], Package: names[(i+2)%len(names)], Kind: 9, Type: name, Bytes: 1})
		stack := f.Stack(f.Frame(name, names[(i+1)%len(names)], 1<<31), f.Frame("", "", 0))
		f.Record(profiletest.Record{Birth: int64(i), End: 1 << min(6*i, 47), Site: id, Stack: stack, Bytes: 1<<uint(4*i) + 1, Weight: 1e9 * float32(i+1), Level: 31, Dead: i%2 == 0, Shared: i == 5})
	}
	f.Time(1<<61, 77, 1<<32-1, 3, 4, 5, 6, 7, 8)
	return decode(t, f)
}

func TestTextStaysWithinTheWidth(t *testing.T) {
	for _, p := range []*profile.Profile{nasty(t), realistic(t, thinned)} {
		for _, by := range []lifetime.By{lifetime.BySite, lifetime.ByType, lifetime.ByFunction, lifetime.ByPackage, lifetime.ByKind, lifetime.ByStack} {
			if by == lifetime.ByStack && p.Stack == 0 {
				continue
			}
			for width := minWidth; width < 260; width += 3 {
				text := string(write(t, Options{By: by, Width: width, Focus: regexp.MustCompile(`.|^$`)}, p))
				for line := range strings.Lines(text) {
					line = strings.TrimSuffix(line, "\n")
					if n := utf8.RuneCountInString(line); n > width {
						t.Fatalf("by %s, width %d: %d runes: %s", by, width, n, line)
					}
					if strings.ContainsAny(line, "\x1b\a\r\t") || strings.HasSuffix(line, " ") || !utf8.ValidString(line) {
						t.Fatalf("by %s, width %d: unclean line %q", by, width, line)
					}
				}
			}
		}
	}
}

func TestTableStaysAligned(t *testing.T) {
	for _, p := range []*profile.Profile{nasty(t), realistic(t)} {
		text := string(write(t, Options{By: lifetime.ByType, Top: All}, p))
		row := regexp.MustCompile(`(?m)^ {0,5}(>1Z|[\d.]+[kMGTPE]?B) .*$`)
		rows := row.FindAllString(text, -1)
		if len(rows) < 10 {
			t.Fatalf("%d rows in\n%s", len(rows), text)
		}
		for _, r := range rows {
			figures := []rune(r + strings.Repeat(" ", figuresWidth))
			for _, gap := range []int{6, 12, 13, 21, 27, 28, 35, 41, 42, 50, 51, 57, 58} {
				if figures[gap] != ' ' {
					t.Errorf("column %d of %q is not a gap", gap, r)
				}
			}
		}
	}
}

func TestJSONIsOneObjectAFileWithAllGroups(t *testing.T) {
	d := json.NewDecoder(bytes.NewReader(write(t, Options{JSON: true}, realistic(t), nasty(t))))
	for _, want := range []int{len(patterns), 10} {
		var doc struct {
			Groups      []map[string]any
			GroupsTotal int `json:"groups_total"`
			Dropped     map[string]uint64
		}
		if err := d.Decode(&doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Groups) != want || doc.GroupsTotal != want || len(doc.Dropped) != int(format.NumDropped) {
			t.Errorf("%d groups of %d, %d reasons", len(doc.Groups), doc.GroupsTotal, len(doc.Dropped))
		}
	}
	if d.More() {
		t.Error("more than two objects")
	}
}

func TestJSONHasTheFieldsThatWerePromised(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(write(t, Options{JSON: true}, realistic(t)), &doc); err != nil {
		t.Fatal(err)
	}
	for _, f := range strings.Fields("program go_version duration_ns rate samples objects bytes gc_cycles coverage coverage_bytes heap_objects heap_bytes dropped groups") {
		if doc[f] == nil {
			t.Errorf("no %s", f)
		}
	}
	group := doc["groups"].([]any)[0].(map[string]any)
	for _, f := range strings.Fields("file line column function package kind type samples objects bytes survivors mean_lifetime_ns relative_lifetime class") {
		if group[f] == nil {
			t.Errorf("no %s in group", f)
		}
	}
}

func TestSortPutsTheGreatestFirst(t *testing.T) {
	s := lifetime.Summarize(realistic(t), lifetime.BySite, nil)
	for _, by := range allSorts {
		order(s.Groups, by)
		if !slices.IsSortedFunc(s.Groups, func(a, b lifetime.Group) int {
			switch x, y := by.of(&a), by.of(&b); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		}) {
			t.Errorf("groups are not sorted by %s", by)
		}
	}
}

func TestWrongOptionsAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{By: "line"}, `cannot group by "line": choose one of site, type, function, package, kind, stack`},
		{Options{By: lifetime.ByStack}, `csvq.4242.filip has no stacks: run the program with FILIP_STACK=16`},
		{Options{Sort: "size"}, `cannot sort by "size": choose one of bytes, objects, survivors, lifetime, samples`},
	} {
		var b bytes.Buffer
		err := Write(&b, []*profile.Profile{realistic(t)}, test.opts)
		if err == nil || err.Error() != test.want || b.Len() > 0 {
			t.Errorf("error %v, %d bytes written, want %s", err, b.Len(), test.want)
		}
	}
}

func TestFlags(t *testing.T) {
	parse := func(args ...string) (Options, error) {
		var o Options
		f := flag.NewFlagSet("report", flag.ContinueOnError)
		f.SetOutput(new(bytes.Buffer))
		o.Flags(f)
		return o, f.Parse(args)
	}
	o, err := parse("-by", "type", "-sort=objects", "-top", "7", "-focus", "a+", "-gc", "-json")
	if err != nil || o.By != lifetime.ByType || o.Sort != SortObjects || o.Top != 7 || o.Focus.String() != "a+" || !o.GC || !o.JSON {
		t.Errorf("options %+v, error %v", o, err)
	}
	if o, err := parse("-top", "0"); err != nil || o.Top != All {
		t.Errorf("options %+v, error %v", o, err)
	}
	for _, args := range []string{"-by=x", "-sort=x", "-top=-1", "-top=x", "-focus=("} {
		if _, err := parse(args); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

func TestWriteReturnsTheErrorOfTheWriter(t *testing.T) {
	if err := Write(fullDisk{}, []*profile.Profile{realistic(t)}, Options{}); err == nil || err.Error() != "disk full" {
		t.Errorf("error %v", err)
	}
}
