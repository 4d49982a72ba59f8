package rewrite

import (
	"go/importer"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRewrite rewrites whatever type-checks without imports but unsafe: the result must
// type-check too, with every token in its place.
func FuzzRewrite(f *testing.F) {
	files, err := filepath.Glob("testdata/*.go")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, src := range []string{
		"package p;func f(){_=&struct{}{};_=[]int{1}}",
		"package p\nvar x = map[string][]*[]int{`a`: {{1}}}",
		"package p\nfunc f[S ~[]E, E any]() any { return S{} }",
		"package p\nimport . \"unsafe\"\nvar x = Sizeof(&[]int{1})",
		"//line x:3\npackage p\nfunc f() *int { return new(int) }",
		"package p\ntype filip__ int; func f() []*filip__ { return []*filip__{} }",
	} {
		f.Add([]byte(src))
	}
	rt, err := runtimePackage()
	if err != nil {
		f.Fatal(err)
	}
	imp := importing{noImports{}, rt}
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := check(imp, token.NewFileSet(), "p", "go1.26", []string{"p.go"}, [][]byte{src})
		if err != nil {
			t.Skip()
		}
		res, err := Rewrite(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkPositions(p, res); err != nil {
			t.Fatal(err)
		}
		names, srcs := rewritten(p, res)
		if _, err := check(imp, token.NewFileSet(), "p", "go1.26", names, srcs); err != nil {
			t.Fatalf("%v\n%s", err, srcs[0])
		}
	})
}

type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return importer.Default().Import("no such package")
}
