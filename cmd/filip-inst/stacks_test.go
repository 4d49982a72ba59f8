package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/filip-go/filip/profile"
)

// cmdStacks compares the stacks of a profile with those that its program has printed:
//
//	stacks PROFILE OUTPUT
//
// OUTPUT has a line "stack" for each, and after it, innermost first, lines "FILE:LINE FUNCTION".
// Of the sites on the first frame's line, a record must have that stack, and none
// another that is not printed.
func cmdStacks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: stacks profile output")
	}
	p, err := profile.Read(ts.MkAbs(args[0]))
	ts.Check(err)
	got := make(map[string][]string) // place of the site → stacks of its records
	for _, r := range p.Records {
		s := p.Sites[r.Site]
		at := fmt.Sprintf("%s:%d", s.File, s.Line)
		text := stackText(p, r.Stack)
		if !slices.Contains(got[at], text) {
			got[at] = append(got[at], text)
		}
	}
	want := make(map[string][]string)
	for _, text := range strings.Split(ts.ReadFile(args[1]), "stack\n")[1:] {
		frames := strings.SplitAfter(text, "\n")
		frames = frames[:min(len(frames)-1, p.Stack)]
		at, _, _ := strings.Cut(frames[0], " ")
		if text := strings.Join(frames, ""); !slices.Contains(want[at], text) {
			want[at] = append(want[at], text)
		}
	}
	if len(want) == 0 {
		ts.Fatalf("%s has no stacks", args[1])
	}
	different := 0
	for at, texts := range want {
		for _, text := range got[at] {
			if !slices.Contains(texts, text) {
				ts.Logf("a birth has the stack\n%s", text)
				different++
			}
		}
		for _, text := range texts {
			if !slices.Contains(got[at], text) {
				ts.Logf("no birth has the stack\n%s", text)
				different++
			}
		}
	}
	if different > 0 {
		ts.Fatalf("%d differences between %s and what the program has printed", different, args[0])
	}
}

func stackText(p *profile.Profile, stack uint32) string {
	if stack == 0 {
		return "(none)\n"
	}
	var b strings.Builder
	for _, i := range p.Stacks[stack] {
		f := p.Frames[i]
		fmt.Fprintf(&b, "%s:%d %s\n", f.File, f.Line, f.Function)
	}
	return b.String()
}
