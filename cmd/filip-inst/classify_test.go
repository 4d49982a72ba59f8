package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestClassify guards what a line of the compiler's is taken for: its words alone do not tell
// a literal from a box, or a conversion of a string from one that copies nothing.
func TestClassify(t *testing.T) {
	const head = "package p\n\ntype (\n\tT struct{ a, b int }\n\tS []int\n\tN string\n)\n\nfunc (T) m() {}\n\nfunc f(n int, s string, b []byte, c bool, t T, name N) {\n"
	for _, test := range []struct {
		stmt, text string
		column     int
		want       string
	}{
		{"_ = &T{n, 1}", "&T{...} escapes to heap", 5, "composite"},
		{"_ = []int{n}", "[]int{...} escapes to heap", 10, "composite"},
		{"_ = S{n}", "S{...} escapes to heap", 6, "composite"},
		{"_ = []*T{{n, 1}}", "&T{...} escapes to heap", 10, "composite"},
		{"_ = map[int]T{}", "map[int]T{} escapes to heap", 14, "composite"},
		{"_ = []int{}", "[]int{} escapes to heap", 10, "composite: allocates nothing"},
		{"var _ any = T{n, 1}", "T{...} escapes to heap", 14, "box"},
		{"var _ any = T{1, 2}", "T{...} escapes to heap", 14, "box: constant, laid out statically"},
		{"var _ any = [1]int{n}", "[1]int{...} escapes to heap", 19, "box"},
		{"_ = new(T)", "new(T) escapes to heap", 8, "new"},
		{"_ = make([]T, n)", "make([]T, n) escapes to heap", 9, "make"},
		{"make := func(int) T { return t }; var _ any = make(n)", "make(n) escapes to heap", 51, "box"},
		{"_ = append(b, 1)", "append escapes to heap", 11, "append"},
		{"_ = append([]struct{}{}, struct{}{})", "append escapes to heap", 11, "append: zero size"},
		{"_ = s + s", "s + s escapes to heap", 7, "string"},
		{"var _ any = n + n", "n + n escapes to heap", 15, "box"},
		{"_ = string(b)", "string(b) escapes to heap", 12, "string"},
		{"var _ any = string(b)", "string(b) escapes to heap", 19, "box"},
		{"var _ any = string(name)", "string(name) escapes to heap", 19, "box"},
		{"_ = []byte(s)", "([]byte)(s) escapes to heap", 12, "string"},
		{"_ = []byte(\"text\")", "([]byte)(\"text\") escapes to heap", 12, "string"},
		{"_ = []rune(s)", "([]rune)(s) escapes to heap", 12, "string"},
		{"var _ any = n", "n escapes to heap", 13, "box"},
		{"var _ any = 5", "5 escapes to heap", 13, "box: constant, laid out statically"},
		{"var _ any = c", "c escapes to heap", 13, "box: one byte, for which the runtime has a table"},
		{"var _ any = struct{}{}", "struct {}{} escapes to heap", 21, "box: zero size"},
		{"_ = any(n)", "any(n) escapes to heap", 9, "box"},
		{"var v int; _ = &v", "moved to heap: v", 5, "variable"},
		{"var v struct{}; _ = &v", "moved to heap: v", 5, "variable: zero size"},
		{"_ = func() int { return n }", "func literal escapes to heap", 5, "closure"},
		{"_ = func() int { return 1 }", "func literal escapes to heap", 5, "closure: captures nothing, so is a function of the executable"},
		{"_ = t.m", "t.m escapes to heap", 6, "closure"},
		{"func(...int) {}(n)", "... argument escapes to heap", 16, "variadic"},
		{"_ = n", "&T{...} escapes to heap", 5, "composite: unknown"},
		{"_ = n", "u escapes to heap", 2, "box: unknown"},
	} {
		e := escape{pkg: "p", line: 12, column: test.column, text: test.text}
		s := checked(t, head+test.stmt+"\n}\n", &e)
		v, err := s.judge(&e)
		if err != nil {
			t.Fatal(err)
		}
		got := v.kind.String()
		switch {
		case !v.known:
			got += ": unknown"
		case v.reason != "":
			got += ": " + v.reason
		}
		if got != test.want {
			t.Errorf("%s\n%s\ngot  %s\nwant %s", test.stmt, test.text, got, test.want)
		}
	}
}

// checked is the package p with a file, that of e.
func checked(t *testing.T, src string, e *escape) *sources {
	t.Helper()
	e.file = filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(e.file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &packages.Package{
		Name: "p", PkgPath: "p", Fset: token.NewFileSet(), GoFiles: []string{e.file}, CompiledGoFiles: []string{e.file},
		Module: &packages.Module{Path: "p"}, TypesSizes: types.SizesFor("gc", "amd64"),
		TypesInfo: &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
			Selections: make(map[*ast.SelectorExpr]*types.Selection), Scopes: make(map[ast.Node]*types.Scope),
			Implicits: make(map[ast.Node]types.Object), Instances: make(map[*ast.Ident]types.Instance),
		},
	}
	f, err := parser.ParseFile(p.Fset, e.file, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	p.Syntax = []*ast.File{f}
	// A variable that is not used does not matter here.
	cfg := types.Config{Importer: importer.Default(), Sizes: p.TypesSizes, Error: func(error) {}}
	p.Types, _ = cfg.Check("p", p.Fset, p.Syntax, p.TypesInfo)
	s, err := newSources([]*packages.Package{p})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestParseEscapes guards which lines are taken for allocations, how often, and what is inlined there.
func TestParseEscapes(t *testing.T) {
	const out = `# example.com/p
./p.go:3:6: can inline f
./p.go:7:9: &T{...} escapes to heap
./p.go:7:9: &T{...} escapes to heap
./p.go:7:9: inlining call to q.New
./p.go:8:2: x does not escape
./p.go:9:2: leaking param: x
./p.go:9:6: moved to heap: y
./p.go:10:3: x escapes to heap in f:
./p.go:11:4: ([]byte)(s) escapes to heap
./p.go:11:4: zero-copy string->[]byte conversion
<autogenerated>:1: x escapes to heap
`
	var got []string
	for _, e := range parseEscapes([]byte(out), "/dir") {
		got = append(got, fmt.Sprint(e))
	}
	want := []string{
		"{example.com/p /dir/p.go 7 9 &T{...} escapes to heap [q.New] false}",
		"{example.com/p /dir/p.go 9 6 moved to heap: y [] false}",
		"{example.com/p /dir/p.go 11 4 ([]byte)(s) escapes to heap [] true}",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFunctionName(t *testing.T) {
	for name, want := range map[string][]string{
		"New":                               {"New"},
		"errors.New":                        {"errors", "New"},
		"bytes.(*Buffer).Grow":              {"bytes", "Buffer", "Grow"},
		"atomic.(*Pointer[go.shape.T]).Get": {"atomic", "Pointer", "Get"},
		"slices.Index[[]go.shape.int]":      {"slices", "Index"},
		"p.f.func1.2":                       {"p", "f"},
		"f.func1":                           {"f"},
		"q.Seq-range1":                      {"q", "Seq"},
	} {
		if got := functionName(name); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
