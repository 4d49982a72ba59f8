package report

import (
	"cmp"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/lifetime"
)

// DefaultTop is how many groups a text report shows unless told otherwise.
const DefaultTop = 20

// DefaultCycles is how many cycles of the collector a text report shows unless told otherwise.
const DefaultCycles = 1000

// All is the Options.Top of a report of all groups, or cycles.
const All = -1

// Options say what a report shows. The zero Options are the report's defaults.
type Options struct {
	By    lifetime.By    // what to group by; "" is by site
	Sort  Sort           // what comes first; "" is the most bytes
	Top   int            // how many groups; 0 is DefaultTop in text and all in JSON, All is all; with GC cycles
	Focus *regexp.Regexp // limits groups to sites whose type, function, package or file:line matches
	GC    bool           // the cycles of the collector instead of groups; JSON has both
	JSON  bool           // JSON instead of text
	Width int            // columns of a text report; 0 is 80, and less than 64 counts as 64
}

// Flags defines the flags -by, -sort, -top, -focus, -gc and -json, which set o.
func (o *Options) Flags(f *flag.FlagSet) {
	f.Func("by", "group by `what`: site, type, function, package or stack (default site)", func(s string) (err error) {
		o.By, err = lifetime.ParseBy(s)
		return err
	})
	f.Func("sort", "put first what has most `of`: bytes, objects, survivors, lifetime or samples (default bytes)", func(s string) (err error) {
		o.Sort, err = ParseSort(s)
		return err
	})
	f.Func("top", "show `n` groups, or with -gc the last n cycles, 0 for all (default 20 groups, 1000 cycles, with -json all)", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return fmt.Errorf("%q is not a number of groups or cycles", s)
		}
		o.Top = int(n)
		if n == 0 {
			o.Top = All
		}
		return nil
	})
	f.Func("focus", "show only sites whose type, function, package or file:line matches `regexp`", func(s string) (err error) {
		o.Focus, err = regexp.Compile(s)
		return err
	})
	f.BoolVar(&o.GC, "gc", o.GC, "show the cycles of the garbage collector instead of groups")
	f.BoolVar(&o.JSON, "json", o.JSON, "print JSON")
}

// complete returns o with defaults filled in, or says what is wrong with it.
func (o Options) complete() (Options, error) {
	if o.By == "" {
		o.By = lifetime.BySite
	}
	if o.Sort == "" {
		o.Sort = SortBytes
	}
	if _, err := lifetime.ParseBy(string(o.By)); err != nil {
		return o, err
	}
	if _, err := ParseSort(string(o.Sort)); err != nil {
		return o, err
	}
	switch {
	case o.Top != 0 || o.JSON:
	case o.GC:
		o.Top = DefaultCycles
	default:
		o.Top = DefaultTop
	}
	if o.Width == 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, minWidth)
	return o, nil
}

// keep reports whether a site matches o.Focus; it is nil where all do.
func (o Options) keep() func(*format.Site) bool {
	if o.Focus == nil {
		return nil
	}
	return func(s *format.Site) bool {
		return o.Focus.MatchString(s.Type) || o.Focus.MatchString(fullFunction(s)) || o.Focus.MatchString(s.Package) ||
			o.Focus.MatchString(s.File+":"+strconv.Itoa(s.Line))
	}
}

// top is how many of n groups or cycles to show.
func (o Options) top(n int) int {
	if o.Top <= 0 {
		return n
	}
	return min(n, o.Top)
}

// Sort is the figure whose greatest values come first.
type Sort string

// The figures to sort by.
const (
	SortBytes     Sort = "bytes"
	SortObjects   Sort = "objects"
	SortSurvivors Sort = "survivors"
	SortLifetime  Sort = "lifetime" // the mean; groups without one come last
	SortSamples   Sort = "samples"
)

var allSorts = []Sort{SortBytes, SortObjects, SortSurvivors, SortLifetime, SortSamples}

// ParseSort returns the figure of the given name.
func ParseSort(s string) (Sort, error) {
	if slices.Contains(allSorts, Sort(s)) {
		return Sort(s), nil
	}
	names := make([]string, len(allSorts))
	for i, name := range allSorts {
		names[i] = string(name)
	}
	return "", fmt.Errorf("cannot sort by %q: choose one of %s", s, strings.Join(names, ", "))
}

// of is the figure of a group.
func (by Sort) of(g *lifetime.Group) float64 {
	switch by {
	case SortObjects:
		return g.Objects
	case SortSurvivors:
		return g.Survivors
	case SortLifetime:
		if mean, ok := g.MeanLifetime(); ok {
			return mean
		}
		return -1
	case SortSamples:
		return float64(g.Samples)
	}
	return g.Bytes
}

// order sorts groups by the figure, then by bytes, then by name, so that equal profiles give
// equal reports.
func order(groups []lifetime.Group, by Sort) {
	slices.SortFunc(groups, func(a, b lifetime.Group) int {
		return cmp.Or(
			cmp.Compare(by.of(&b), by.of(&a)),
			cmp.Compare(b.Bytes, a.Bytes),
			cmp.Compare(a.Site.Package, b.Site.Package),
			cmp.Compare(a.Site.File, b.Site.File),
			cmp.Compare(a.Site.Line, b.Site.Line),
			cmp.Compare(a.Site.Column, b.Site.Column),
			cmp.Compare(a.Site.Function, b.Site.Function),
			cmp.Compare(a.Site.Type, b.Site.Type),
			cmp.Compare(a.Stack, b.Stack),
		)
	})
}
