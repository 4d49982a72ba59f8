// Types type-checks go/types and all that it imports with go/types, from the source of the Go
// tree, function bodies included. Nearly all that it makes stays to the end.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/filip-go/filip/bench/stats"
)

func main() {
	tree := tree{
		ctx:      build.Default,
		fset:     token.NewFileSet(),
		packages: map[string]*types.Package{"unsafe": types.Unsafe},
		info: types.Info{
			Types:      make(map[ast.Expr]types.TypeAndValue),
			Instances:  make(map[*ast.Ident]types.Instance),
			Defs:       make(map[*ast.Ident]types.Object),
			Uses:       make(map[*ast.Ident]types.Object),
			Implicits:  make(map[ast.Node]types.Object),
			Selections: make(map[*ast.SelectorExpr]*types.Selection),
			Scopes:     make(map[ast.Node]*types.Scope),
		},
	}
	tree.ctx.CgoEnabled = false // C is not Go
	if err := tree.check("go/types"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(len(tree.packages), len(tree.info.Types), len(tree.info.Defs), len(tree.info.Uses), len(tree.info.Scopes))
	stats.Report()
}

// A tree is the Go tree, with what is known of it.
type tree struct {
	ctx      build.Context
	fset     *token.FileSet
	packages map[string]*types.Package
	info     types.Info
}

func (t *tree) check(path string) error {
	if info, err := os.Stat(filepath.Join(t.ctx.GOROOT, "src", "go", "types")); err != nil || !info.IsDir() {
		return fmt.Errorf("no source of the Go tree in %q: set GOROOT to what go env GOROOT prints", t.ctx.GOROOT)
	}
	_, err := t.Import(path)
	return err
}

// Import makes a tree a types.Importer.
func (t *tree) Import(path string) (*types.Package, error) {
	if p := t.packages[path]; p != nil {
		return p, nil
	}
	dir := filepath.Join(t.ctx.GOROOT, "src", filepath.FromSlash(path))
	if strings.HasPrefix(path, "golang.org/") {
		dir = filepath.Join(t.ctx.GOROOT, "src", "vendor", filepath.FromSlash(path))
	}
	files, err := t.parse(dir)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: t, Sizes: types.SizesFor("gc", t.ctx.GOARCH)}
	p, err := conf.Check(path, t.fset, files, &t.info)
	t.packages[path] = p
	return p, err
}

// parse reads the files of a directory that are compiled here.
func (t *tree) parse(dir string) ([]*ast.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := t.ctx.MatchFile(dir, name); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		f, err := parser.ParseFile(t.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
