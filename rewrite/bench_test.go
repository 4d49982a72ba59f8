package rewrite

import (
	"bytes"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkRewrite rewrites go/types and a large generated table, type-checked beforehand.
func BenchmarkRewrite(b *testing.B) {
	for _, bench := range []struct {
		name    string
		sources func() (names []string, srcs [][]byte, err error)
	}{
		{"go/types", func() ([]string, [][]byte, error) { return standard("go/types") }},
		{"table", func() ([]string, [][]byte, error) { return staticTable(60000) }},
		{"local table", func() ([]string, [][]byte, error) { return localTable(60000) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			names, srcs, err := bench.sources()
			if err != nil {
				b.Fatal(err)
			}
			ex, err := stdExports()
			if err != nil {
				b.Fatal(err)
			}
			fset := token.NewFileSet()
			imp, err := newImporter(fset, ex)
			if err != nil {
				b.Fatal(err)
			}
			p, err := check(imp, fset, "p", "", names, srcs)
			if err != nil {
				b.Fatal(err)
			}
			size := 0
			for _, src := range srcs {
				size += len(src)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				res, err := Rewrite(p)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(res.Found)), "sites")
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(len(names)), "ms/file")
		})
	}
}

// standard is the sources of a package of the standard library.
func standard(path string) (names []string, srcs [][]byte, err error) {
	all, err := listStd()
	if err != nil {
		return nil, nil, err
	}
	for _, l := range all {
		if l.ImportPath != path {
			continue
		}
		for _, name := range l.GoFiles {
			src, err := os.ReadFile(filepath.Join(l.Dir, name))
			if err != nil {
				return nil, nil, err
			}
			names, srcs = append(names, name), append(srcs, src)
		}
	}
	return names, srcs, nil
}

// staticTable is a package-level table of n elements, all of it static; 60,000 are 2 MB.
func staticTable(n int) ([]string, [][]byte, error) {
	src := bytes.NewBufferString("package p\ntype T struct{ a int; s []string; p *T }\nvar Table = []*T{\n")
	for i := range n {
		fmt.Fprintf(src, "\t{a: %d, s: []string{\"x\"}, p: &T{}},\n", i)
	}
	src.WriteString("}\n")
	return []string{"table.go"}, [][]byte{src.Bytes()}, nil
}

// localTable is the same within a function, where each element is allocated.
func localTable(n int) ([]string, [][]byte, error) {
	_, srcs, _ := staticTable(n)
	src := bytes.Replace(srcs[0], []byte("var Table ="), []byte("func Table() []*T { return"), 1)
	return []string{"table.go"}, [][]byte{append(src, "}\n"...)}, nil
}
