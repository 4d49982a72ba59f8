package rewrite

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// exports maps import paths to the files with their export data.
type exports map[string]string

var stdExports = sync.OnceValues(func() (exports, error) { return listExports("std") })

// listExports compiles the packages, as far as they are not in the build cache.
func listExports(patterns ...string) (exports, error) {
	cmd := exec.Command("go", append([]string{"list", "-export", "-e", "-deps", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}"}, patterns...)...)
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	ex := make(exports)
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		ex[path] = file
	}
	return ex, nil
}

// An importing resolves imports from export data, and that of our package runtime from its
// sources.
type importing struct {
	types.Importer
	runtime *types.Package
}

func (i importing) Import(path string) (*types.Package, error) {
	if path == RuntimePath {
		return i.runtime, nil
	}
	return i.Importer.Import(path)
}

func newImporter(fset *token.FileSet, ex exports) (types.Importer, error) {
	gc := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if file := ex[path]; file != "" {
			return os.Open(file)
		}
		return nil, fmt.Errorf("no export data of %s", path)
	})
	rt, err := runtimePackage()
	return importing{gc, rt}, err
}

// runtimePackage type-checks ../runtime under the path that instrumented code imports.
var runtimePackage = sync.OnceValues(func() (*types.Package, error) {
	names, err := filepath.Glob("../runtime/*.go")
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	conf := types.Config{Importer: importer.Default()} // asked for unsafe only
	return conf.Check(RuntimePath, fset, files, nil)
})

var sizes = types.SizesFor("gc", "amd64")

// check parses and type-checks a package.
func check(imp types.Importer, fset *token.FileSet, path, lang string, names []string, srcs [][]byte) (*Package, error) {
	p := &Package{
		Fset:  fset,
		Path:  path,
		Sizes: sizes,
		Info: &types.Info{
			Types:      make(map[ast.Expr]types.TypeAndValue),
			Defs:       make(map[*ast.Ident]types.Object),
			Uses:       make(map[*ast.Ident]types.Object),
			Implicits:  make(map[ast.Node]types.Object),
			Selections: make(map[*ast.SelectorExpr]*types.Selection),
			Instances:  make(map[*ast.Ident]types.Instance),
			Scopes:     make(map[ast.Node]*types.Scope),
		},
	}
	var asts []*ast.File
	for i, name := range names {
		file, err := parser.ParseFile(fset, name, srcs[i], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		asts = append(asts, file)
		p.Files = append(p.Files, File{Name: name, Src: srcs[i], AST: file})
	}
	var err error
	conf := types.Config{Importer: imp, Sizes: sizes, GoVersion: lang, FakeImportC: true}
	p.Types, err = conf.Check(path, fset, asts, p.Info)
	return p, err
}

const tableName = "filip__table.go"

// rewritten is the sources of the rewritten package, the table last.
func rewritten(p *Package, res *Result) (names []string, srcs [][]byte) {
	for i, file := range p.Files {
		src := file.Src
		if text, ok := res.Files[i]; ok {
			src = text
		}
		names, srcs = append(names, file.Name), append(srcs, src)
	}
	if res.Table != nil {
		names, srcs = append(names, tableName), append(srcs, res.Table)
	}
	return names, srcs
}

var compiler = flag.String("compiler", "go tool compile", "command that compiles the rewritten packages")

// compile compiles a package with the toolchain and returns what it prints.
func compile(t testing.TB, path string, importcfg string, flags []string, names []string, srcs [][]byte) (string, error) {
	t.Helper()
	dir := t.TempDir()
	args := append(strings.Fields(*compiler), "-o", filepath.Join(dir, "p.a"), "-p", path, "-importcfg", importcfg)
	args = append(args, flags...)
	for i, name := range names {
		file := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(file, srcs[i], 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, "./"+filepath.Base(name))
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// importcfg writes an importcfg with the standard library and our package runtime.
var importcfg = sync.OnceValues(func() (string, error) {
	ex, err := stdExports()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "rewrite_test")
	if err != nil {
		return "", err
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		return "", err
	}
	archive := filepath.Join(dir, "runtime.a")
	names, err := filepath.Glob("../runtime/*.go")
	if err != nil {
		return "", err
	}
	args := append(strings.Fields(*compiler), "-o", archive, "-p", RuntimePath, "-importcfg", empty)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			args = append(args, name)
		}
	}
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile runtime: %w\n%s", err, out)
	}
	var cfg strings.Builder
	fmt.Fprintf(&cfg, "packagefile %s=%s\n", RuntimePath, archive)
	for path, file := range ex {
		fmt.Fprintf(&cfg, "packagefile %s=%s\n", path, file)
		if rest, ok := strings.CutPrefix(path, "vendor/"); ok {
			fmt.Fprintf(&cfg, "importmap %s=%s\n", rest, path)
		}
	}
	name := filepath.Join(dir, "importcfg")
	return name, os.WriteFile(name, []byte(cfg.String()), 0o666)
})
