package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/filip-go/filip/format"
)

// A source is a package with what stands where in it. All but pkg and runtime is made when
// it is first needed.
type source struct {
	pkg     *packages.Package
	runtime bool // package runtime is built on it
	nodes   map[coordinates][]node
	funcs   map[string][]ast.Node
	sites   map[siteAt]string // why they are left alone, "" if they are not
}

// Coordinates are a position as the compiler has it.
type coordinates struct {
	file         string
	line, column int
}

type siteAt struct {
	coordinates
	kind format.Kind
}

// A node is one of the source's with what is around it that matters.
type node struct {
	src      *source
	n        ast.Node
	called   bool // the function of a call
	converts bool // a conversion, in place of the value that it has
	generic  bool // in a function with type parameters: types are those of no instance
}

// sources are packages and all that they depend on.
type sources struct {
	byPath map[string]*source
	byName map[string][]*source
	byFile map[string]*source
}

// newSources indexes pkgs and what they depend on.
func newSources(pkgs []*packages.Package) (*sources, error) {
	s := &sources{make(map[string]*source), make(map[string][]*source), make(map[string]*source)}
	var all []*packages.Package
	packages.Visit(pkgs, nil, func(p *packages.Package) { all = append(all, p) })
	built, err := runtimeBuiltOn(all)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		src := &source{pkg: p, runtime: p.Module == nil && built[p.PkgPath]}
		s.byPath[p.PkgPath] = src
		s.byName[p.Name] = append(s.byName[p.Name], src)
		for _, file := range slices.Concat(p.GoFiles, p.CompiledGoFiles) {
			s.byFile[file] = src
		}
	}
	return s, nil
}

// at returns the nodes at the position of e. Where an instance of a generic function is compiled it is
// in another package than the one compiled.
func (s *sources) at(e *escape) []node {
	for _, src := range []*source{s.byPath[e.pkg], s.byFile[e.file]} {
		if src == nil {
			continue
		}
		if found := src.index()[coordinates{e.file, e.line, e.column}]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// inlined returns the nodes of the functions that are inlined at the position of e.
func (s *sources) inlined(e *escape) []node {
	var found []node
	for _, name := range e.inlined {
		parts := functionName(name)
		if src := s.byPath[e.pkg]; src != nil {
			found = append(found, src.function(parts)...)
		}
		if src := s.byFile[e.file]; src != nil && src.pkg.PkgPath != e.pkg {
			found = append(found, src.function(parts)...)
		}
		for _, src := range s.byName[parts[0]] {
			found = append(found, src.function(parts[1:])...)
		}
	}
	return found
}

// function returns the nodes of the declared function with a name, of a method that of the type first.
func (src *source) function(name []string) []node {
	if src.funcs == nil {
		src.funcs = make(map[string][]ast.Node)
		for _, file := range src.pkg.Syntax {
			for _, d := range file.Decls {
				key := "init" // initialises the package's variables
				if fn, ok := d.(*ast.FuncDecl); ok {
					key = fn.Name.Name
					if fn.Recv != nil && len(fn.Recv.List) > 0 {
						key = receiver(fn.Recv.List[0].Type) + "." + key
					}
				}
				src.funcs[key] = append(src.funcs[key], d)
			}
		}
	}
	key := ""
	switch len(name) {
	case 1:
		key = name[0]
	case 2:
		key = name[0] + "." + name[1]
	}
	var found []node
	for _, fn := range src.funcs[key] {
		src.inspect(fn, func(n node) { found = append(found, n) })
	}
	return found
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// index is the package's nodes by the position that the compiler gives them.
func (src *source) index() map[coordinates][]node {
	if src.nodes == nil {
		src.nodes = make(map[coordinates][]node)
		for _, file := range src.pkg.Syntax {
			for _, d := range file.Decls {
				src.inspect(d, func(n node) {
					at := src.locate(compilerPos(n.n))
					if p, ok := n.n.(*ast.ParenExpr); ok {
						n.n = ast.Unparen(p)
					}
					src.nodes[at] = append(src.nodes[at], n)
					if x := n.conversion(); x != nil { // has the position of its operand
						n.converts = true
						at = src.locate(compilerPos(x.Args[0]))
						src.nodes[at] = append(src.nodes[at], n)
					}
				})
			}
		}
	}
	return src.nodes
}

// inspect calls f with the expressions and loops in a declaration.
func (src *source) inspect(d ast.Node, f func(node)) {
	generic := false
	if fn, ok := d.(*ast.FuncDecl); ok {
		if obj, ok := src.pkg.TypesInfo.Defs[fn.Name].(*types.Func); ok {
			sig := obj.Signature()
			generic = sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0
		}
	}
	called := make(map[ast.Node]bool)
	ast.Inspect(d, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			called[ast.Unparen(x.Fun)] = true
		case ast.Expr, *ast.RangeStmt:
		default:
			return true
		}
		f(node{src: src, n: n, called: called[n], generic: generic})
		return true
	})
}

func (src *source) locate(pos token.Pos) coordinates {
	p := src.pkg.Fset.PositionFor(pos, true)
	name := p.Filename
	if !filepath.IsAbs(name) {
		name, _ = filepath.Abs(name)
	}
	return coordinates{name, p.Line, p.Column}
}

// compilerPos is the position that the compiler gives a node: that of the token that makes it
// what it is.
func compilerPos(n ast.Node) token.Pos {
	switch n := n.(type) {
	case *ast.CompositeLit:
		return n.Lbrace
	case *ast.CallExpr:
		return n.Lparen
	case *ast.BinaryExpr:
		return n.OpPos
	case *ast.IndexExpr:
		return n.Lbrack
	case *ast.IndexListExpr:
		return n.Lbrack
	case *ast.SliceExpr:
		return n.Lbrack
	case *ast.SelectorExpr:
		return n.X.End() // the dot
	case *ast.TypeAssertExpr:
		return n.X.End() // the dot
	}
	return n.Pos()
}

// conversion is n if it is a conversion, else nil.
func (n node) conversion() *ast.CallExpr {
	if call, ok := n.n.(*ast.CallExpr); ok && len(call.Args) == 1 && n.src.pkg.TypesInfo.Types[call.Fun].IsType() {
		return call
	}
	return nil
}

// site returns why the site of a kind that starts at n is left alone, "" if it is not, and
// whether there is one.
func (n node) site(kind format.Kind) (skip string, ok bool, err error) {
	src := n.src
	if src.sites == nil {
		p := &loaded{runtime: src.runtime}
		if p.Package, err = asCompiled(src.pkg); err != nil {
			return "", false, err
		}
		src.sites = make(map[siteAt]string)
		for _, s := range p.find() {
			name := s.Pos.Filename
			if !filepath.IsAbs(name) {
				name, _ = filepath.Abs(name)
			}
			src.sites[siteAt{coordinates{name, s.Pos.Line, s.Pos.Column}, s.Site.Kind}] = s.Skip
		}
	}
	skip, ok = src.sites[siteAt{src.locate(n.n.Pos()), kind}]
	return skip, ok, nil
}
