package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An escape is a line in which the compiler says that something is allocated on the heap.
type escape struct {
	pkg          string // import path of the package that was compiled
	file         string // absolute, where the compiler names one
	line, column int
	text         string // what the compiler says
	// Functions that are inlined at the same position. What they allocate has it, too.
	inlined []string
	// The compiler says of a conversion at the position that it copies nothing.
	zeroCopy bool
}

// position matches a line of the compiler's with a position.
var position = regexp.MustCompile(`^(.+?):(\d+):(\d+): (.*)$`)

const (
	movedToHeap   = "moved to heap: "
	escapesToHeap = " escapes to heap"
	inliningCall  = "inlining call to "
	zeroCopy      = "zero-copy string->[]byte conversion"
)

// parseEscapes reads what the go command, run in dir, shows of the compiler's -m. The compiler
// says the same again for each instance of a generic function: each line is returned once.
func parseEscapes(out []byte, dir string) []escape {
	type place struct{ pkg, at string }
	inlined := make(map[place][]string)
	copies := make(map[place]bool)
	seen := make(map[string]bool)
	var all []escape
	var places []place
	pkg := ""
	for line := range bytes.Lines(out) {
		text := strings.TrimRight(string(line), "\r\n")
		if name, ok := strings.CutPrefix(text, "# "); ok {
			pkg, _, _ = strings.Cut(name, " ")
			continue
		}
		m := position.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		at, said := place{pkg, text[:len(text)-len(m[4])]}, m[4]
		if name, ok := strings.CutPrefix(said, inliningCall); ok {
			inlined[at] = append(inlined[at], name)
		}
		if said == zeroCopy {
			copies[at] = true
		}
		if !strings.HasPrefix(said, movedToHeap) && !strings.HasSuffix(said, escapesToHeap) || seen[text] {
			continue
		}
		seen[text] = true
		e := escape{pkg: pkg, file: m[1], text: said}
		if !filepath.IsAbs(e.file) && !strings.HasPrefix(e.file, "<") {
			e.file = filepath.Join(dir, e.file)
		}
		e.line, _ = strconv.Atoi(m[2])
		e.column, _ = strconv.Atoi(m[3])
		all, places = append(all, e), append(places, at)
	}
	for i := range all {
		// A call may be reported after what it allocates.
		all[i].inlined = slices.Compact(slices.Sorted(slices.Values(inlined[places[i]])))
		all[i].zeroCopy = copies[places[i]]
	}
	return all
}

// A shape is what the compiler's words for an expression look like.
type shape int

const (
	shapeOther    shape = iota // a conversion to an interface, or one of strings, or a method value
	shapeVariable              // moved to heap: x
	shapeAppend                // append
	shapeClosure               // func literal
	shapeVariadic              // ... argument
	shapeAddress               // &T{...}
	shapeLiteral               // T{...}
	shapeNew                   // new(T)
	shapeMake                  // make(T, n)
)

// expression is the part of the line that stands for the expression or the variable, and
// what it looks like.
func (e *escape) expression() (string, shape) {
	if name, ok := strings.CutPrefix(e.text, movedToHeap); ok {
		return name, shapeVariable
	}
	x := strings.TrimSuffix(e.text, escapesToHeap)
	literal := strings.HasSuffix(x, "{...}") || strings.HasSuffix(x, "{}")
	switch {
	case x == "append":
		return x, shapeAppend
	case x == "func literal":
		return x, shapeClosure
	case x == "... argument":
		return x, shapeVariadic
	case literal && strings.HasPrefix(x, "&"):
		return x, shapeAddress
	case literal:
		return x, shapeLiteral
	case strings.HasPrefix(x, "new(") && strings.HasSuffix(x, ")"):
		return x, shapeNew
	case strings.HasPrefix(x, "make(") && strings.HasSuffix(x, ")"):
		return x, shapeMake
	}
	return x, shapeOther
}

// withoutBrackets is s without what stands in square brackets: type arguments.
func withoutBrackets(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// numbered matches the last parts of the name of a function that is in another one.
var numbered = regexp.MustCompile(`(\.(func\d+|\d+|gowrap\d+)|-range\d+|-fm)+$`)

// functionName splits the compiler's name of an inlined function: that of a closure stands for the
// declared function that it is in. What comes first may be the name of a package, or none.
func functionName(s string) []string {
	s = strings.NewReplacer("(", "", ")", "", "*", "").Replace(withoutBrackets(s))
	return strings.Split(numbered.ReplaceAllString(s, ""), ".")
}
