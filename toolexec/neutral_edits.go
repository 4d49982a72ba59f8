package toolexec

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// A compilerEdit inserts text into one function of cmd/compile. Where is the place, which
// must be there exactly once and look exactly as it is known to; else the sources are not those
// that the edit was made for.
type compilerEdit struct {
	file     string // below GOROOT/src
	function string // its name
	text     string // to insert
	where    func(fn *ast.FuncDecl) []token.Pos
}

var compilerEdits = []compilerEdit{
	{
		// The inliner's cost of a call.
		file: "cmd/compile/internal/inline/inl.go", function: "doNode",
		text: "\nif x, ok := filipOperand(n); ok {\nreturn v.doNode(x)\n}\n",
		where: func(fn *ast.FuncDecl) (at []token.Pos) {
			ast.Inspect(fn, func(n ast.Node) bool {
				if c, ok := n.(*ast.CaseClause); ok && len(c.List) == 1 && isSelector(c.List[0], "ir", "OCALLFUNC") && len(c.Body) > 1 && isTypedN(c.Body[0], "CallExpr") {
					at = append(at, c.Body[0].End())
				}
				return true
			})
			return at
		},
	},
	{
		// From a certain size on a function inlines less: its nodes are counted without ours.
		file: "cmd/compile/internal/inline/inl.go", function: "IsBigFunc",
		text: "\nbudget += filipNodes(n)\n",
		where: func(fn *ast.FuncDecl) (at []token.Pos) {
			ast.Inspect(fn, func(n ast.Node) bool {
				if s, ok := n.(*ast.IncDecStmt); ok && s.Tok == token.DEC && isIdent(s.X, "budget") {
					at = append(at, s.Pos())
				}
				return true
			})
			return at
		},
	},
	{
		// The initialiser is one of our calls, or a call inlined to one.
		file: "cmd/compile/internal/staticinit/sched.go", function: "staticAssignInlinedCall",
		text: "\nif x := filipOperand(call); x != nil {\nreturn s.StaticAssign(l, loff, x, typ)\n}\n",
		where: func(fn *ast.FuncDecl) []token.Pos {
			return []token.Pos{fn.Body.Lbrace + 1}
		},
	},
	{
		// The body of the inlined function returns one of our calls.
		file: "cmd/compile/internal/staticinit/sched.go", function: "staticAssignInlinedCall",
		text: "\nas2body = filipBody(as2body)\n",
		where: func(fn *ast.FuncDecl) (at []token.Pos) {
			for _, s := range fn.Body.List {
				if r, ok := s.(*ast.RangeStmt); ok {
					if x, ok := r.X.(*ast.SelectorExpr); ok && isIdent(x.X, "as2init") && x.Sel.Name == "Lhs" && isIdent(r.Value, "v") && r.Tok == token.DEFINE && isIdent(r.Key, "_") {
						at = append(at, r.Pos())
					}
				}
			}
			return at
		},
	},
}

// neutralSupport is what the edits call, for the end of the two files.
var neutralSupport = map[string]string{
	"cmd/compile/internal/inline/inl.go": `
// filipOperand is the operand that a call of one of FiLiP's helpers passes on; not ok for any
// other call. Arguments are the dictionary, the operand, for some a nil pointer, the site, the
// slow path. Seen and MainEnd are statements that the source does not have: no operand.
func filipOperand(n *ir.CallExpr) (x ir.Node, ok bool) {
	if n.Fun.Op() != ir.ONAME {
		return nil, false
	}
	name := n.Fun.(*ir.Name)
	if name.Class != ir.PFUNC || name.Sym().Pkg.Path != ` + "`" + injectedPath + "runtime`" + ` {
		return nil, false
	}
	if len(n.Args) < 4 || strings.HasPrefix(name.Sym().Name, "Seen") {
		return nil, true
	}
	return n.Args[1], true
}

// filipNodes is the number of nodes that n adds to a function if it is one of our calls,
// those of its operand left out.
func filipNodes(n ir.Node) int {
	call, ok := n.(*ir.CallExpr)
	if !ok || n.Op() != ir.OCALLFUNC {
		return 0
	}
	x, ok := filipOperand(call)
	if !ok {
		return 0
	}
	return filipCount(n) - filipCount(x)
}

func filipCount(n ir.Node) int {
	count := 0
	if n == nil {
		return 0
	}
	ir.Visit(n, func(ir.Node) { count++ })
	return count
}
`,
	"cmd/compile/internal/staticinit/sched.go": `
// filipOperand is the operand that an inlined call of one of FiLiP's helpers passes on, nil
// for any other call.
func filipOperand(call *ir.InlinedCallExpr) ir.Node {
	init := call.Init()
	if len(init) != 2 || init[0].Op() != ir.OAS2 || init[1].Op() != ir.OINLMARK {
		return nil
	}
	fn := base.Ctxt.InlTree.InlinedFunction(int(init[1].(*ir.InlineMarkStmt).Index))
	const path = ` + "`" + injectedPath + "runtime.`" + `
	if len(fn.Name) < len(path) || fn.Name[:len(path)] != path {
		return nil
	}
	as := init[0].(*ir.AssignListStmt)
	if len(as.Rhs) < 4 {
		return nil
	}
	return as.Rhs[1]
}

// filipBody is as with its value replaced by the operand, if that is one of our calls.
func filipBody(as *ir.AssignListStmt) *ir.AssignListStmt {
	if len(as.Rhs) != 1 {
		return as
	}
	v := as.Rhs[0]
	for {
		if c, ok := v.(*ir.ConvExpr); ok && c.Op() == ir.OCONVNOP {
			v = c.X
			continue
		}
		break
	}
	call, ok := v.(*ir.InlinedCallExpr)
	if !ok {
		return as
	}
	x := filipOperand(call)
	if x == nil {
		return as
	}
	return ir.NewAssignListStmt(as.Pos(), ir.OAS2, as.Lhs, []ir.Node{x})
}
`,
}

// apply makes the edit, or says why these are not the sources it was made for.
func (e compilerEdit) apply(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, e.file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var at []token.Pos
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == e.function && fn.Body != nil {
			at = append(at, e.where(fn)...)
		}
	}
	if len(at) != 1 {
		return nil, fmt.Errorf("%d places for the edit of %s, want 1", len(at), e.function)
	}
	off := fset.Position(at[0]).Offset
	out := append(append(bytes.Clone(src[:off]), e.text...), src[off:]...)
	if support := neutralSupport[e.file]; !bytes.HasSuffix(src, []byte(support)) {
		out = append(out, support...)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), e.file, out, 0); err != nil {
		return nil, errors.Join(errors.New("the edit does not fit"), err)
	}
	return out, nil
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func isSelector(e ast.Expr, x, sel string) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && isIdent(s.X, x) && s.Sel.Name == sel
}

// isTypedN reports whether s is n := n.(*ir.NAME).
func isTypedN(s ast.Stmt, name string) bool {
	as, ok := s.(*ast.AssignStmt)
	if !ok || as.Tok != token.DEFINE || len(as.Lhs) != 1 || !isIdent(as.Lhs[0], "n") || len(as.Rhs) != 1 {
		return false
	}
	assert, ok := as.Rhs[0].(*ast.TypeAssertExpr)
	if !ok || !isIdent(assert.X, "n") {
		return false
	}
	star, ok := assert.Type.(*ast.StarExpr)
	return ok && isSelector(star.X, "ir", name)
}
