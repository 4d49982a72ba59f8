package toolexec

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// A sourceEdit inserts text into one function of cmd/compile or of package runtime. Where is the place, which
// must be there exactly once and look exactly as it is known to; else the sources are not those
// that the edit was made for.
type sourceEdit struct {
	file     string // below GOROOT/src, or in package runtime
	function string // its name
	text     string // to insert
	where    func(fn *ast.FuncDecl) []token.Pos
	behind   string // what to insert at until, if anything
	until    func(fn *ast.FuncDecl) []token.Pos

	// tail, if not nil, makes the text to insert at until from the arguments of the call in between.
	tail func(args []string) string
}

var compilerEdits = []sourceEdit{
	{
		// The inliner's cost of a call.
		file: "cmd/compile/internal/inline/inl.go", function: "doNode",
		text: "\nif x, ok := ir.FilipOperand(n); ok {\nreturn v.doNode(x)\n}\n",
		where: each(func(n ast.Node) token.Pos {
			if c, ok := n.(*ast.CaseClause); ok && len(c.List) == 1 && isSelector(c.List[0], "ir", "OCALLFUNC") && len(c.Body) > 1 && isTypedN(c.Body[0], "CallExpr") {
				return c.Body[0].End()
			}
			return token.NoPos
		}),
	},
	{
		// From a certain size on a function inlines less: its nodes are counted without ours.
		file: "cmd/compile/internal/inline/inl.go", function: "IsBigFunc",
		text: "\nbudget += ir.FilipNodes(n)\n",
		where: each(func(n ast.Node) token.Pos {
			if s, ok := n.(*ast.IncDecStmt); ok && s.Tok == token.DEC && isIdent(s.X, "budget") {
				return s.Pos()
			}
			return token.NoPos
		}),
	},
	{
		// Such a function inlines our helpers still: what they are passed would escape.
		file: "cmd/compile/internal/inline/inl.go", function: "inlineCostOK",
		text: "\nif ir.FilipCall(n) {\nbigCaller = false\n}\n", where: start,
	},
	{
		// Where helpers are not inlined all the same (-l, -race) escape analysis does not
		// always know what they do with the operand: instances of generic functions that came with an
		// inlined function have not been looked at.
		file: "cmd/compile/internal/escape/call.go", function: "tagHole",
		text:  "\nif fn != nil && ir.FilipName(fn) && !e.inMutualBatch(fn) {\nif len(ks) == 1 && ir.FilipPasses(param) {\nreturn ks[0]\n}\nreturn e.discardHole()\n}\n",
		where: start,
	},
	{
		// The initialiser is one of our calls, or a call inlined to one.
		file: "cmd/compile/internal/staticinit/sched.go", function: "staticAssignInlinedCall",
		text:  "\nif x, _ := ir.FilipOperand(call); x != nil {\nreturn s.StaticAssign(l, loff, x, typ)\n}\n",
		where: start,
	},
	{
		// The body of the inlined function returns one of our calls.
		file: "cmd/compile/internal/staticinit/sched.go", function: "staticAssignInlinedCall",
		text: "\nas2body = ir.FilipBody(as2body)\n",
		where: topLevel(func(s ast.Stmt) token.Pos {
			if r, ok := s.(*ast.RangeStmt); ok && isSelector(r.X, "as2init", "Lhs") && isIdent(r.Value, "v") && r.Tok == token.DEFINE && isIdent(r.Key, "_") {
				return r.Pos()
			}
			return token.NoPos
		}),
	},
	{
		// With -m the compiler says what it inlines, but of our calls it says nothing.
		file: "cmd/compile/internal/inline/inl.go", function: "mkinlcall",
		text: " && !ir.FilipCall(n)",
		where: each(func(n ast.Node) token.Pos {
			s, ok := n.(*ast.IfStmt)
			if !ok {
				return token.NoPos
			}
			c, ok := s.Cond.(*ast.BinaryExpr)
			if !ok || c.Op != token.NEQ {
				return token.NoPos
			}
			if m, ok := c.X.(*ast.SelectorExpr); ok && isSelector(m.X, "base", "Flag") && m.Sel.Name == "LowerM" {
				return c.End()
			}
			return token.NoPos
		}),
	},
	{
		// Nor of bounds checks in them.
		file: "cmd/compile/internal/walk/expr.go", function: "walkIndex",
		text: "\nif t.IsArray() && ir.FilipInlined(n.Pos()) {\nn.SetBounded(bounded(r, t.NumElem()))\nreturn n\n}\n",
		where: topLevel(func(s ast.Stmt) token.Pos {
			if s, ok := s.(*ast.IfStmt); ok {
				if call, ok := s.Cond.(*ast.CallExpr); ok && isSelector(call.Fun, "t", "IsArray") {
					return s.Pos()
				}
			}
			return token.NoPos
		}),
	},
	{
		// The last call of a function with deferred ones, which shows in stack traces after a
		// recovered panic, has the position of the instruction before it: not one of ours.
		file: "cmd/compile/internal/ssagen/ssa.go", function: "genssa",
		text: "\ns.pp.Pos = ir.FilipOutside(s.pp.Pos)",
		where: each(func(n ast.Node) token.Pos {
			if as, ok := n.(*ast.AssignStmt); ok && len(as.Rhs) == 1 {
				if live, ok := as.Rhs[0].(*ast.SelectorExpr); ok && live.Sel.Name == "DeferReturn" && isSelector(live.X, "s", "livenessMap") {
					return as.End()
				}
			}
			return token.NoPos
		}),
	},
	{
		// Variables that are moved to the heap.
		file: "cmd/compile/internal/ssagen/ssa.go", function: "setHeapaddr",
		text: "\nfilipMark(ptr, \"variable\")\n", where: start,
	},
	{
		// Several of them in one object.
		file: "cmd/compile/internal/ssagen/ssa.go", function: "flushPendingHeapAllocations",
		text: "\nfilipMark(ptr, \"variable\")\n",
		where: topLevel(func(s ast.Stmt) token.Pos {
			if as, ok := s.(*ast.AssignStmt); ok && isSelector(as.Lhs[0], "ptr", "Type") {
				return as.Pos()
			}
			return token.NoPos
		}),
	},
	{
		// Closures, and the slices of variadic calls, which slicelit marks.
		file: "cmd/compile/internal/ssagen/ssa.go", function: "exprCheckPtr",
		text: "filipNew(n, ", where: newObject(ast.Node.Pos), behind: ")", until: newObject(ast.Node.End),
	},
	{
		file: "cmd/compile/internal/walk/complit.go", function: "slicelit",
		text: "\nir.FilipMarkVariadic(a, n)", where: afterNew,
	},
	{
		// The bytes of a constant string.
		file: "cmd/compile/internal/walk/convert.go", function: "walkStringToBytes",
		text: "\nir.FilipMarkBytes(a)", where: afterNew,
	},
	{
		// The calls of all these.
		file: "cmd/compile/internal/ssagen/ssa.go", function: "Call",
		text: "filipCallee(sym)\n_ = ",
		where: each(func(n ast.Node) token.Pos {
			if as, ok := n.(*ast.AssignStmt); ok && len(as.Rhs) == 1 && isSelector(as.Rhs[0], "sym", "Fn") {
				return as.Rhs[0].Pos()
			}
			return token.NoPos
		}),
	},
	{
		// In what it says of expressions, our calls look like their operands.
		file: "cmd/compile/internal/ir/fmt.go", function: "exprFmt",
		text: seeThrough, where: loop,
	},
	{
		// The value of a variable that is assigned once is our call's operand.
		file: "cmd/compile/internal/ir/expr.go", function: "StaticValue",
		text: seeThrough, where: loop,
	},
	{
		file: "cmd/compile/internal/ir/reassignment.go", function: "StaticValue",
		text: seeThrough, where: loop,
	},
}

// afterNew is where a function has made a node of ONEW.
var afterNew = each(func(n ast.Node) token.Pos {
	if as, ok := n.(*ast.AssignStmt); ok && len(as.Rhs) == 1 {
		if call, ok := as.Rhs[0].(*ast.CallExpr); ok && isSelector(call.Fun, "ir", "NewUnaryExpr") && len(call.Args) > 1 && isSelector(call.Args[1], "ir", "ONEW") {
			return as.End()
		}
	}
	return token.NoPos
})

// newObject is a place at the call of s.newObject in the case of a switch over ir.Op that is ONEW.
func newObject(place func(ast.Node) token.Pos) func(*ast.FuncDecl) []token.Pos {
	return each(func(n ast.Node) token.Pos {
		c, ok := n.(*ast.CaseClause)
		if !ok || len(c.List) != 1 || !isSelector(c.List[0], "ir", "ONEW") || len(c.Body) == 0 {
			return token.NoPos
		}
		if r, ok := c.Body[len(c.Body)-1].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			if call, ok := r.Results[0].(*ast.CallExpr); ok && isSelector(call.Fun, "s", "newObject") {
				return place(call)
			}
		}
		return token.NoPos
	})
}

// start is the start of fn.
func start(fn *ast.FuncDecl) []token.Pos { return []token.Pos{fn.Body.Lbrace + 1} }

// seeThrough is for the start of a loop over n that skips what does not change its value.
const seeThrough = "\nif x, _ := FilipOperand(n); x != nil {\nn = x\ncontinue\n}"

// loop is the start of each endless loop in fn.
var loop = topLevel(func(s ast.Stmt) token.Pos {
	if s, ok := s.(*ast.ForStmt); ok && s.Init == nil && s.Cond == nil {
		return s.Body.Lbrace + 1
	}
	return token.NoPos
})

// each finds the places at nodes of a function, where match says one.
func each(match func(ast.Node) token.Pos) func(*ast.FuncDecl) []token.Pos {
	return func(fn *ast.FuncDecl) (at []token.Pos) {
		ast.Inspect(fn, func(n ast.Node) bool {
			if pos := match(n); pos.IsValid() {
				at = append(at, pos)
			}
			return true
		})
		return at
	}
}

// topLevel finds the places at the statements of a function's body itself.
func topLevel(match func(ast.Stmt) token.Pos) func(*ast.FuncDecl) []token.Pos {
	return func(fn *ast.FuncDecl) (at []token.Pos) {
		for _, s := range fn.Body.List {
			if pos := match(s); pos.IsValid() {
				at = append(at, pos)
			}
		}
		return at
	}
}

// neutralSupport has what the edits call: one more file in two packages of the compiler.
var neutralSupport = map[string]string{
	"cmd/compile/internal/ir/filip.go":     neutralIR,
	"cmd/compile/internal/ssagen/filip.go": neutralSSAGen,
}

//go:embed neutral/filip.go
var neutralIR string

//go:embed neutral/ssagen.go
var neutralSSAGen string

// apply makes the edit, or says why these are not the sources it was made for.
func (e sourceEdit) apply(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, e.file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var at, until []token.Pos
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == e.function && fn.Body != nil {
			at = append(at, e.where(fn)...)
			if e.until != nil {
				until = append(until, e.until(fn)...)
			}
		}
	}
	if e.until == nil {
		until = at
	}
	if len(at) != 1 || len(until) != 1 {
		return nil, fmt.Errorf("%d places for the edit of %s, want 1", max(len(at), len(until)), e.function)
	}
	from, to := fset.Position(at[0]).Offset, fset.Position(until[0]).Offset
	behind := e.behind
	if e.tail != nil {
		args, err := callArguments(string(src[from:to]))
		if err != nil {
			return nil, err
		}
		behind = e.tail(args)
	}
	out := slices.Concat(src[:from], []byte(e.text), src[from:to], []byte(behind), src[to:])
	if _, err := parser.ParseFile(token.NewFileSet(), e.file, out, 0); err != nil {
		return nil, errors.Join(errors.New("the edit does not fit"), err)
	}
	return out, nil
}

// callArguments are the arguments of a call, as they are written.
func callArguments(call string) ([]string, error) {
	e, err := parser.ParseExpr(call)
	if err != nil {
		return nil, err
	}
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return nil, fmt.Errorf("%s is not a call", call)
	}
	var args []string
	for _, arg := range c.Args {
		args = append(args, call[arg.Pos()-1:arg.End()-1])
	}
	return args, nil
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
