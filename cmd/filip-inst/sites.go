package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/rewrite"
)

func prepareSites(fs *flag.FlagSet) func([]string) error {
	asJSON := fs.Bool("json", false, "print JSON, an object per line and site, or with -coverage per line of the compiler's")
	tests := fs.Bool("test", false, "also list the sites of test files")
	inline := fs.Bool("inline", false, "list the functions that the compiler can inline in a plain build and not in an instrumented one, or at another cost; builds the packages both ways")
	coverage := fs.Bool("coverage", false, "list what the compiler of a plain build allocates on the heap, by kind, and how much of that FiLiP sees; builds the packages")
	return func(patterns []string) error {
		switch {
		case *coverage && (*tests || *inline):
			return usageError{"filip-inst sites: -coverage goes with neither -test nor -inline (see filip-inst help sites)"}
		case *coverage:
			return listCoverage(os.Stdout, patterns, *asJSON)
		case *inline:
			return listInline(os.Stdout, patterns)
		}
		pkgs, err := loadPackages(patterns, *tests)
		if err != nil {
			return err
		}
		found := allSites(pkgs)
		if *asJSON {
			err = writeSitesJSON(os.Stdout, found)
		} else {
			err = writeSites(os.Stdout, found)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, summary(found))
		return nil
	}
}

// allSites returns the sites of all packages by package and position, each once: a package
// and its test variant have files in common.
func allSites(pkgs []*loaded) []rewrite.Found {
	seen := make(map[rewrite.Found]bool)
	var all []rewrite.Found
	for _, p := range pkgs {
		for _, s := range p.find() {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b rewrite.Found) int {
		return cmp.Or(cmp.Compare(a.Site.Package, b.Site.Package), cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return all
}

func writeSites(w io.Writer, found []rewrite.Found) error {
	dir, _ := os.Getwd() // without one, names stay absolute
	var b strings.Builder
	for _, s := range found {
		pos := s.Pos
		pos.Filename = shortPath(dir, pos.Filename)
		fmt.Fprintf(&b, "%s: %s %s", pos, s.Site.Kind, s.Site.Type)
		if s.Skip != "" {
			fmt.Fprintf(&b, ": left alone: %s", s.Skip)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shortPath is name relative to dir where that is shorter, as the go command prints it.
func shortPath(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil && len(rel) < len(name) {
		return rel
	}
	return name
}

// jsonSite is a site in JSON. The names are those of the groups of a JSON report.
type jsonSite struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Function  string `json:"function"`
	Package   string `json:"package"`
	Kind      string `json:"kind"`
	Type      string `json:"type"`
	Bytes     *int64 `json:"bytes"`      // null where it is known only at run time
	LeftAlone string `json:"left_alone"` // the reason, "" if it is instrumented
}

func writeSitesJSON(w io.Writer, found []rewrite.Found) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, s := range found {
		j := jsonSite{s.Site.File, s.Site.Line, s.Site.Column, s.Site.Function, s.Site.Package, s.Site.Kind.String(), s.Site.Type, nil, s.Skip}
		if s.Site.Bytes >= 0 {
			j.Bytes = &s.Site.Bytes
		}
		if err := e.Encode(j); err != nil {
			return err
		}
	}
	return nil
}

// summary counts sites by kind, and those left alone by reason.
func summary(found []rewrite.Found) string {
	packages := make(map[string]bool)
	kinds := make(map[format.Kind]int)
	reasons := make(map[string]int)
	for _, s := range found {
		packages[s.Site.Package] = true
		if s.Skip != "" {
			reasons[s.Skip]++
		} else {
			kinds[s.Site.Kind]++
		}
	}
	instrumented := 0
	var byKind []string
	for _, k := range []format.Kind{format.KindComposite, format.KindNew, format.KindMake} {
		instrumented += kinds[k]
		byKind = append(byKind, fmt.Sprintf("%d %s", kinds[k], k))
	}
	text := fmt.Sprintf("%s in %s (%s)", plural(instrumented, "site"), plural(len(packages), "package"), strings.Join(byKind, ", "))
	if left := len(found) - instrumented; left > 0 {
		text += fmt.Sprintf("; %d left alone (%s)", left, strings.Join(byCount(reasons), ", "))
	}
	return text
}

// byCount lists counts and what is counted, the most frequent first.
func byCount(counts map[string]int) []string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", counts[name], name)
	}
	return names
}

// plural is n followed by the noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
