package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// A finder walks the files of a package once, with the chain of enclosing nodes at hand.
type finder struct {
	p     *Package
	found []Found
	sites []site          // of those that are wrapped
	named map[string]bool // identifiers of the package that start as our names do

	file     int
	pos      *token.File
	fileSkip string // why all sites of the file are left alone
	pragmas  pragmas
	prev     token.Pos // end of the declaration before the current one
	stack    []frame

	inits    int // init functions so far
	initLits map[*ast.FuncLit]int
	initFn   *function
	returns  map[types.Object]bool           // see returnsOnly
	fused    map[*ast.CallExpr]*ast.ExprStmt // see pairs
	calls    map[ast.Node]*statementCalls    // of the statements of the current declaration
	generics map[types.Type]bool             // see generic
	strings  map[types.Type]string
}

// A frame is a node with what holds inside it.
type frame struct {
	node   ast.Node
	scope  *types.Scope
	fn     *function // nil: outside functions
	skip   string    // why sites in it are left alone
	layout layout    // of the node, in an initialiser
}

// find lists the sites of p. A panic is a bug of ours or of the caller's type information.
func find(p *Package) *finder {
	f := &finder{
		p:        p,
		named:    make(map[string]bool),
		initLits: initLiterals(p.Info),
		fused:    make(map[*ast.CallExpr]*ast.ExprStmt),
		generics: make(map[types.Type]bool),
		strings:  make(map[types.Type]string),
	}
	f.calls = make(map[ast.Node]*statementCalls)
	f.initFn = &function{name: p.Types.Name() + ".init"}
	for i, file := range p.Files {
		f.file, f.pos = i, p.Fset.File(file.AST.FileStart)
		f.prev, f.pragmas = file.AST.Name.End(), pragmas{file.AST.Comments}
		f.fileSkip = ""
		if !fitsDirective(file.Name) {
			f.fileSkip = skipFileName
		}
		cgo := strings.HasPrefix(filepath.Base(file.Name), "_cgo_")
		ast.Inspect(file.AST, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, aliasName) {
				f.named[id.Name] = true
			}
			if cgo {
				return true // cgo's own declarations; only their names matter
			}
			if n == nil {
				f.stack = f.stack[:len(f.stack)-1]
				return true
			}
			f.enter(n)
			return true
		})
	}
	f.dropMany()
	return f
}

// dropMany leaves the sites of functions alone that have too many.
func (f *finder) dropMany() {
	f.sites = slices.DeleteFunc(f.sites, func(s site) bool {
		if s.fn.sites <= maxSites {
			return false
		}
		f.found[s.found].Skip = skipMany
		if s.second != 0 {
			f.found[s.second].Skip = skipMany
		}
		return true
	})
}

// fitsDirective reports whether a //line directive can name the file.
func fitsDirective(name string) bool {
	return name != "" && name == strings.TrimSpace(name) && !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' })
}

func (f *finder) top() *frame {
	if len(f.stack) == 0 {
		return &frame{}
	}
	return &f.stack[len(f.stack)-1]
}

// enter pushes n and records the sites that start at it.
func (f *finder) enter(n ast.Node) {
	up := *f.top()
	fr := up
	fr.node = n
	if e, ok := n.(ast.Expr); ok {
		fr.layout = f.within(up.layout, up.node, n)
		switch parent := up.node.(type) {
		case *ast.ValueSpec:
			if up.fn == nil && e != parent.Type {
				f.initialiser(&fr, parent, e)
			}
		case *ast.RangeStmt:
			if e == parent.X && f.uselessRange(parent) {
				fr.skip = skipDead
			}
		}
	}
	switch n := n.(type) {
	case *ast.File:
		fr.scope, fr.skip = f.p.Info.Scopes[n], f.fileSkip
	case *ast.FuncDecl:
		clear(f.calls)
		fr.fn, fr.scope = f.declared(n), f.p.Info.Scopes[n.Type]
		if verb := f.pragmas.Of(f.prev, n.Name.Pos()); verb != "" {
			fr.skip = skipPragmaForm + verb
		}
		f.prev = n.End()
	case *ast.GenDecl:
		if up.fn == nil {
			f.prev = n.End()
		}
	case *ast.FuncLit:
		fr.fn, fr.scope = f.literal(up.fn, n), f.p.Info.Scopes[n.Type]
	case *ast.BlockStmt:
		fr.enterScope(f, n)
		f.pairs(n.List)
		if loop, ok := up.node.(*ast.RangeStmt); ok && f.overFunc(loop) {
			fr.fn = up.fn.loop()
			fr.fn.body = n
		}
	case *ast.CaseClause:
		fr.enterScope(f, n)
		f.pairs(n.Body)
	case *ast.CommClause:
		fr.enterScope(f, n)
		f.pairs(n.Body)
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		fr.enterScope(f, n)
	case *ast.CallExpr:
		if f.unevaluated(n) {
			fr.skip = skipDead
		}
	}
	f.stack = append(f.stack, fr)
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
			f.address(n, lit)
		}
	case *ast.CompositeLit:
		if !f.addressed() {
			f.composite(n)
		}
	case *ast.CallExpr:
		if fun, ok := f.builtin(n); ok {
			f.builtinCall(n, fun)
		}
	}
}

func (fr *frame) enterScope(f *finder, n ast.Node) {
	if s := f.p.Info.Scopes[n]; s != nil {
		fr.scope = s
	}
}

func (f *finder) literal(fn *function, lit *ast.FuncLit) *function {
	inner := f.initFn.numbered(f.initLits[lit])
	if fn != nil {
		inner = fn.literal()
	}
	inner.body = lit.Body
	return inner
}

// addressed reports whether the composite literal on top of the stack is the operand of &.
func (f *finder) addressed() bool {
	for i := len(f.stack) - 2; i >= 0; i-- {
		switch n := f.stack[i].node.(type) {
		case *ast.ParenExpr:
			continue
		case *ast.UnaryExpr:
			return n.Op == token.AND
		}
		return false
	}
	return false
}

// builtin is the name of the builtin function that n calls.
func (f *finder) builtin(n *ast.CallExpr) (string, bool) {
	switch fun := ast.Unparen(n.Fun).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		if f.p.Info.Types[fun].IsBuiltin() {
			return builtinName(fun), true
		}
	}
	return "", false
}

// unevaluated reports whether the call is one of the builtins that only look at the types
// of their operands. A call in the operand would make the result variable, and evaluated.
func (f *finder) unevaluated(n *ast.CallExpr) bool {
	fun, ok := f.builtin(n)
	if !ok {
		return false
	}
	switch fun {
	case "Sizeof", "Alignof", "Offsetof":
		return true
	}
	return f.p.Info.Types[n].Value != nil
}

// uselessRange reports whether the operand of a range statement is not evaluated, because
// only the length of an array is needed.
func (f *finder) uselessRange(n *ast.RangeStmt) bool {
	if id, ok := n.Value.(*ast.Ident); n.Value != nil && !(ok && id.Name == "_") {
		return false
	}
	t := f.p.Info.TypeOf(n.X)
	if _, ok := deref(t).Underlying().(*types.Array); !ok {
		return false
	}
	calls := false
	ast.Inspect(n.X, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := f.p.Info.Types[n]
			calls = calls || tv.Value == nil && !f.p.Info.Types[n.Fun].IsType()
		case *ast.UnaryExpr:
			calls = calls || n.Op == token.ARROW
		}
		return !calls
	})
	return !calls
}

// overFunc reports whether n loops over a function, which makes its body a function.
func (f *finder) overFunc(n *ast.RangeStmt) bool {
	t := f.p.Info.TypeOf(n.X)
	if t == nil {
		return false
	}
	_, ok := core(t).(*types.Signature)
	return ok
}
