package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/filip-go/filip/format"
)

// A covered is a line of the compiler's with what FiLiP makes of it.
type covered struct {
	escape
	verdict
}

// listCoverage builds the packages that patterns match as they are, has the compiler say what
// it allocates on the heap, and writes how much of that has a site.
func listCoverage(w io.Writer, patterns []string, asJSON bool) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	out, err := buildSaying("-m", patterns)
	if err != nil {
		return err
	}
	pkgs, err := loadSyntax(patterns, false)
	if err != nil {
		return err
	}
	src, err := newSources(pkgs)
	if err != nil {
		return err
	}
	var all []covered
	for _, e := range parseEscapes(out, dir) {
		v, err := src.judge(&e)
		if err != nil {
			return err
		}
		all = append(all, covered{e, v})
	}
	slices.SortStableFunc(all, func(a, b covered) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column), cmp.Compare(a.text, b.text))
	})
	if asJSON {
		return writeCoverageJSON(w, all)
	}
	return writeCoverage(w, dir, all)
}

// counts are of lines.
type counts struct{ lines, seen, left, unknown int }

func (c *counts) add(v verdict) {
	c.lines++
	switch {
	case !v.known:
		c.unknown++
	case v.reason != "":
		c.left++
	default:
		c.seen++
	}
}

func writeCoverage(w io.Writer, dir string, all []covered) error {
	var total counts
	var kinds [format.NumKinds]counts
	reasons := make(map[string]int)
	var unknown []string
	for _, c := range all {
		total.add(c.verdict)
		kinds[c.kind].add(c.verdict)
		switch {
		case !c.known:
			unknown = append(unknown, fmt.Sprintf("%s:%d:%d: %s\n", shortPath(dir, c.file), c.line, c.column, c.text))
		case c.reason != "":
			reasons[c.kind.String()+": "+c.reason]++
		}
	}
	var b strings.Builder
	const row = "%-10s %10s %10s %11s %8s\n"
	fmt.Fprintf(&b, row, "KIND", "LINES", "SEEN", "LEFT ALONE", "UNKNOWN")
	write := func(name string, c counts) {
		fmt.Fprintf(&b, row, name, thousands(c.lines), thousands(c.seen), thousands(c.left), thousands(c.unknown))
	}
	for kind, c := range kinds {
		if c.lines > 0 {
			write(format.Kind(kind).String(), c)
		}
	}
	write("total", total)
	if len(reasons) > 0 {
		b.WriteString("\nLeft alone:\n")
		for _, line := range byCount(reasons) {
			n, why, _ := strings.Cut(line, " ")
			fmt.Fprintf(&b, "%8s  %s\n", n, why)
		}
	}
	if len(unknown) > 0 {
		b.WriteString("\nUnknown:\n" + strings.Join(unknown, ""))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// thousands is n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// jsonCovered is a line of the compiler's in JSON.
type jsonCovered struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"` // what the compiler says
	Kind   string `json:"kind"`
	Seen   bool   `json:"seen"`
	Reason string `json:"reason"` // why it is left alone; "" if it is seen or unknown
}

func writeCoverageJSON(w io.Writer, all []covered) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, c := range all {
		if err := e.Encode(jsonCovered{c.file, c.line, c.column, c.text, c.kind.String(), c.known && c.reason == "", c.reason}); err != nil {
			return err
		}
	}
	return nil
}
