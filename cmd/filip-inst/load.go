package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/filip-go/filip/rewrite"
	"github.com/filip-go/filip/toolexec"
)

// skipRuntime is why package runtime and what it is built on are left alone: the helpers may
// not work yet, or not allocate, where such a package runs.
const skipRuntime = "package runtime is built on it"

// A loaded is a package as the compiler would get it.
type loaded struct {
	rewrite.Package
	runtime bool // package runtime is built on it
}

// find returns the sites of p.
func (p *loaded) find() []rewrite.Found {
	found := rewrite.Find(&p.Package)
	if p.runtime {
		for i := range found {
			found[i].Skip = skipRuntime
		}
	}
	return found
}

// loadPackages loads the packages that patterns match, by default that of the working
// directory, on request with their test files. It does so from source, so that nothing needs
// to be built. What is wrong with the packages it prints on stderr, as go vet does.
func loadPackages(patterns []string, tests bool) ([]*loaded, error) {
	pkgs, err := loadSyntax(patterns, tests)
	if err != nil {
		return nil, err
	}
	built, err := runtimeBuiltOn(pkgs)
	if err != nil {
		return nil, err
	}
	var out []*loaded
	for _, pkg := range pkgs {
		if strings.HasSuffix(pkg.ID, ".test") {
			continue // the generated main package of a test
		}
		p := &loaded{runtime: pkg.Module == nil && built[pkg.PkgPath]}
		if p.Package, err = asCompiled(pkg); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// loadSyntax loads the packages that patterns match, by default that of the working directory,
// and all that they depend on, parsed and type-checked.
func loadSyntax(patterns []string, tests bool) ([]*packages.Package, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedDeps | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
		packages.NeedModule | packages.NeedForTest
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Tests: tests}, patterns...)
	if err != nil {
		return nil, err
	}
	if printErrors(pkgs) {
		return nil, errReported
	}
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("%s: no packages", strings.Join(patterns, " "))
	}
	return pkgs, nil
}

// asCompiled is pkg in the form in which rewrite works on it.
func asCompiled(pkg *packages.Package) (rewrite.Package, error) {
	p := rewrite.Package{Fset: pkg.Fset, Types: pkg.Types, Info: pkg.TypesInfo, Path: pkg.PkgPath, Sizes: pkg.TypesSizes}
	for i, syntax := range pkg.Syntax {
		if filepath.Base(pkg.Fset.Position(syntax.Package).Filename) == "_cgo_gotypes.go" {
			continue // cgo's own declarations
		}
		src, err := os.ReadFile(pkg.CompiledGoFiles[i])
		if err != nil {
			return p, err
		}
		p.Files = append(p.Files, rewrite.File{Name: pkg.CompiledGoFiles[i], Src: src, AST: syntax})
	}
	return p, nil
}

// printErrors prints the errors of packages and their dependencies, and reports whether there
// are any.
func printErrors(pkgs []*packages.Package) bool {
	dir, _ := os.Getwd()
	var lines []string
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			line := "filip-inst: " + e.Msg
			if e.Pos != "" && e.Pos != "-" {
				line = shortPath(dir, e.Pos) + ": " + e.Msg
			}
			if !slices.Contains(lines, line) { // test variants repeat them
				lines = append(lines, line)
			}
		}
	})
	for _, line := range lines {
		fmt.Fprintln(os.Stderr, line)
	}
	return len(lines) > 0
}

// runtimeBuiltOn returns the import paths of package runtime and of what it is built on, if
// one of pkgs may be among them.
func runtimeBuiltOn(pkgs []*packages.Package) (map[string]bool, error) {
	if !slices.ContainsFunc(pkgs, func(p *packages.Package) bool { return p.Module == nil }) {
		return nil, nil
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	return toolexec.RuntimeClosure(filepath.Join(strings.TrimSpace(string(out)), "src"))
}
