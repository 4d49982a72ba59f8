package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/filip-go/filip/profile"
)

// cmdKnown checks a profile against the comments of its program (see known.txtar):
//
//	known PROFILE OUTPUT ROUNDS
//
// OUTPUT is a file with lines "at LINE FUNCTION", which name the innermost function around
// a line as the runtime does. The sources are the .go files of the current directory.
func cmdKnown(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: known profile output rounds")
	}
	p, err := profile.Read(ts.MkAbs(args[0]))
	ts.Check(err)
	rounds, err := strconv.Atoi(args[2])
	ts.Check(err)
	sources, err := filepath.Glob(ts.MkAbs("*.go"))
	ts.Check(err)
	var w wants
	for _, name := range sources {
		ts.Check(w.parse(name))
	}
	functions := make(map[int]string)
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		var at int
		var name string
		if _, err := fmt.Sscanf(line, "at %d %s", &at, &name); err == nil {
			functions[at] = name
		}
	}
	problems := w.check(p, functions, rounds)
	for _, f := range problems {
		ts.Logf("%s", f)
	}
	if len(problems) > 0 {
		ts.Fatalf("%d differences between %s and what the program allocates", len(problems), args[0])
	}
}

// cmdListed wants every site of a profile's package main in the output of filip-inst sites
// -json, as one that is instrumented; what is left alone must not be in the profile.
//
//	listed PROFILE SITES
func cmdListed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: listed profile sites")
	}
	p, err := profile.Read(ts.MkAbs(args[0]))
	ts.Check(err)
	at := func(file string, line, column int, kind string) string {
		return fmt.Sprintf("%s:%d:%d: %s", filepath.Base(file), line, column, kind)
	}
	listed := make(map[string][]jsonSite)
	for d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[1]))); d.More(); {
		var s jsonSite
		ts.Check(d.Decode(&s))
		key := at(s.File, s.Line, s.Column, s.Kind)
		listed[key] = append(listed[key], s)
	}
	sites := 0
	for _, s := range p.Sites {
		if !strings.HasPrefix(s.Function, "main.") {
			continue
		}
		if sites++; s.Column == 0 {
			continue
		}
		key := at(s.File, s.Line, s.Column, s.Kind.String())
		if !slices.ContainsFunc(listed[key], func(j jsonSite) bool {
			generic := strings.Contains(s.Function, "[...]")
			return j.LeftAlone == "" && j.Function == s.Function && (generic || j.Type == s.Type)
		}) {
			ts.Fatalf("%s %s in %s is in the profile, but listed as %+v", key, s.Type, s.Function, listed[key])
		}
	}
	if sites == 0 {
		ts.Fatalf("%s has no site of package main", args[0])
	}
}

// A place is where a site stands.
type place struct {
	file      string
	line, col int
	kind      string
	typ       string // * for any
}

// An object is a place and the size of what it allocates, -1 for any.
type object struct {
	place
	bytes int64
}

// A want is what a comment says of an object.
type want struct {
	object
	fate  string // kept, dead, half
	times int    // per round
	once  bool   // in the whole run
}

type wants struct {
	list  []want
	any   map[string]bool // file:line of lines of which nothing is said
	funcs []scope
}

// A scope is the lines of a function or function literal.
type scope struct {
	file       string
	start, end int
}

// anywhere stands for the text of what the runtime allocates in addition.
const anywhere = "..."

var wantForm = regexp.MustCompile("`([^`]+)` (composite|new|make|append|string|box|map|reflect|variable|closure|variadic) `([^`]+)` ([0-9]+|-) (kept|dead|half|shared)(?: ([0-9]+|once))?(?:, |$)")

func (w *wants) parse(name string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if w.any == nil {
		w.any = make(map[string]bool)
	}
	base := filepath.Base(name)
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		line = strings.TrimRight(line, "\n")
		code, text, ok := strings.Cut(line, "// want ")
		if strings.HasSuffix(line, "// any") {
			w.any[fmt.Sprint(base, ":", n)] = true
		}
		if !ok {
			continue
		}
		rest := wantForm.ReplaceAllString(text, "")
		if rest != "" {
			return fmt.Errorf("%s:%d: cannot read %q of the want comment", base, n, rest)
		}
		for _, m := range wantForm.FindAllStringSubmatch(text, -1) {
			col := strings.Index(code, m[1]) + 1
			switch {
			case m[1] == anywhere || !rewritten(m[2]):
				col = 0
			case col == 0:
				return fmt.Errorf("%s:%d: no %q in the line", base, n, m[1])
			}
			x := want{object: object{place{base, n, col, m[2], m[3]}, -1}, fate: m[5], times: 1, once: m[6] == "once"}
			if m[4] != "-" {
				x.bytes, _ = strconv.ParseInt(m[4], 10, 64)
			}
			if m[6] != "" && !x.once {
				x.times, _ = strconv.Atoi(m[6])
			}
			w.list = append(w.list, x)
		}
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			w.funcs = append(w.funcs, scope{base, fset.Position(node.Pos()).Line, fset.Position(node.End()).Line})
		case *ast.RangeStmt:
			if fset.Position(node.Body.Pos()).Line != fset.Position(node.Body.End()).Line && isAt(node.Body.List) {
				w.funcs = append(w.funcs, scope{base, fset.Position(node.Body.Pos()).Line + 1, fset.Position(node.Body.End()).Line})
			}
		}
		return true
	})
	return nil
}

// rewritten reports whether sites of a kind are expressions that are rewritten: only these have columns.
func rewritten(kind string) bool { return kind == "composite" || kind == "new" || kind == "make" }

// isAt reports whether a loop's body is a function of its own: then it starts with at().
func isAt(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	s, ok := list[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "at"
}

// innermost is the smallest scope around a line; ok is false for lines that two scopes
// of the same size share.
func (w *wants) innermost(file string, line int) (s scope, ok bool) {
	best := 1 << 30
	for _, f := range w.funcs {
		if f.file != file || line < f.start || line > f.end {
			continue
		}
		switch n := f.end - f.start; {
		case n < best:
			s, best, ok = f, n, true
		case n == best:
			ok = false
		}
		if f.start == f.end {
			ok = false // other code may be on the line
		}
	}
	return s, ok
}

// predeclared has the aliases byte and any, which the runtime's names of types do not know.
var predeclared = strings.NewReplacer("uint8", "byte", "interface {}", "any")

type fates struct{ objects, dead, survivors, shared float64 }

// check returns a sentence for each difference between the profile and the comments.
func (w *wants) check(p *profile.Profile, functions map[int]string, rounds int) (problems []string) {
	found := make(map[object]*fates)
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	names := make(map[scope]string)
	for line, name := range functions {
		if s, ok := w.innermost("main.go", line); ok {
			names[s] = name
		}
	}
	for _, r := range p.Records {
		s := p.Sites[r.Site]
		o := object{place{filepath.Base(s.File), s.Line, s.Column, s.Kind.String(), s.Type}, int64(r.Bytes)}
		o.typ = predeclared.Replace(o.typ)
		if !strings.HasPrefix(s.Function, "main.") {
			continue
		}
		f := found[o]
		if f == nil {
			f = new(fates)
			found[o] = f
			if sc, ok := w.innermost(o.file, o.line); ok && names[sc] != "" && names[sc] != s.Function {
				complain("%s:%d:%d: site is in %s, not in %s", o.file, o.line, o.col, names[sc], s.Function)
			}
		}
		weight := float64(r.Weight)
		f.objects += weight
		switch {
		case r.Shared: // until the last of its block is dead
			f.shared += weight
		case r.Dead:
			f.dead += weight
		default:
			f.survivors += weight
		}
	}
	for _, x := range w.list {
		var got fates
		for o, f := range found {
			if (x.bytes < 0 || o.bytes == x.bytes) && (x.typ == "*" || o.typ == x.typ) &&
				o.file == x.file && o.line == x.line && o.col == x.col && o.kind == x.kind && f.takes(x, rounds) {
				got.add(f)
				delete(found, o)
				if x.bytes >= 0 || x.typ == "*" {
					break
				}
			}
		}
		want := x.fates(rounds)
		if got != want {
			complain("%s:%d:%d: %s of %s (%d bytes): %v, want %v", x.file, x.line, x.col, x.kind, x.typ, x.bytes, got, want)
		}
	}
	for _, o := range slices.SortedFunc(maps.Keys(found), func(a, b object) int {
		return strings.Compare(fmt.Sprintf("%s%6d%6d", a.file, a.line, a.col), fmt.Sprintf("%s%6d%6d", b.file, b.line, b.col))
	}) {
		if !w.any[fmt.Sprint(o.file, ":", o.line)] && o.file != "settle.go" {
			complain("%s:%d:%d: unexpected: %s of %s, %d bytes: %v", o.file, o.line, o.col, o.kind, o.typ, o.bytes, *found[o])
		}
	}
	return problems
}

// takes reports whether f may be what x is about: instantiations whose type has no fixed
// name are told apart by their fates.
func (f *fates) takes(x want, rounds int) bool { return x.typ != "*" || *f == x.fates(rounds) }

func (f *fates) add(g *fates) {
	f.objects += g.objects
	f.dead += g.dead
	f.survivors += g.survivors
	f.shared += g.shared
}

func (x want) fates(rounds int) fates {
	n := float64(x.times * rounds)
	if x.once {
		n = 1
	}
	switch x.fate {
	case "kept":
		return fates{objects: n, survivors: n}
	case "shared":
		return fates{objects: n, shared: n}
	case "half":
		return fates{objects: n, dead: n / 2, survivors: n / 2}
	}
	return fates{objects: n, dead: n}
}

func (f fates) String() string {
	s := fmt.Sprintf("%v objects, %v dead, %v survivors", f.objects, f.dead, f.survivors)
	if f.shared > 0 {
		s += fmt.Sprintf(", %v shared", f.shared)
	}
	return s
}
