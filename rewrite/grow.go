package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Since Go 1.26 the first arrays of a slice that grows by append until it is returned or
// assigned are on the stack (cmd/compile/internal/slice). The compiler does this only for
// variables all of whose uses it understands, and a call where there was a literal is none
// of these. So literals of such variables are left alone: seeing them is not worth more
// objects on the heap.

// maxGrowElem is the size of elements up to which the compiler does so, in bytes
// (VariableMakeThreshold).
const maxGrowElem = 32

// A sliceUse is what a function does with a slice variable.
type sliceUse struct {
	captured    bool // used in a function literal, too
	other       bool // used in ways the compiler does not follow
	transitions int  // places where another reference to its array comes into being
	appends     int  // s = append(s, …), each counted with the loops around it
	depth       int  // of loops around its declaration
}

// grows reports whether lit, on top of the stack, is the first array of a variable that the
// compiler may let grow on the stack.
func (f *finder) grows(lit *ast.CompositeLit) bool {
	fr := f.top()
	if fr.fn == nil || fr.fn.body == nil || len(f.stack) < 2 {
		return false
	}
	var id *ast.Ident
	switch parent := f.stack[len(f.stack)-2].node.(type) {
	case *ast.AssignStmt:
		for i, rhs := range parent.Rhs {
			if rhs == lit && len(parent.Lhs) == len(parent.Rhs) {
				id, _ = parent.Lhs[i].(*ast.Ident)
			}
		}
	case *ast.ValueSpec:
		for i, value := range parent.Values {
			if value == lit && len(parent.Names) == len(parent.Values) {
				id = parent.Names[i]
			}
		}
	}
	if id == nil {
		return false
	}
	u, ok := fr.fn.uses(f)[f.p.Info.ObjectOf(id)]
	return ok && !u.captured && !u.other && u.transitions == 1 && u.appends >= 2
}

// uses is what fn does with each of its slice variables.
func (fn *function) uses(f *finder) map[types.Object]sliceUse {
	if fn.slices == nil && fn.body != nil {
		w := useWalker{f: f, slices: make(map[types.Object]sliceUse)}
		ast.Inspect(fn.body, w.visit)
		fn.slices = w.slices
	}
	return fn.slices
}

type useWalker struct {
	f      *finder
	slices map[types.Object]sliceUse
	stack  []ast.Node
	loops  int // around the current node
	inner  int // function literals around it
}

func (w *useWalker) visit(n ast.Node) bool {
	if n == nil {
		w.count(w.stack[len(w.stack)-1], -1)
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	if id, ok := n.(*ast.Ident); ok {
		w.ident(id)
	}
	w.count(n, 1)
	w.stack = append(w.stack, n)
	return true
}

func (w *useWalker) count(n ast.Node, d int) {
	switch n := n.(type) {
	case *ast.FuncLit:
		w.inner += d
	case *ast.ForStmt:
		w.loops += d
	case *ast.RangeStmt:
		w.loops += d
		if w.f.overFunc(n) {
			w.inner += d
		}
	}
}

func (w *useWalker) ident(id *ast.Ident) {
	obj, ok := w.f.p.Info.ObjectOf(id).(*types.Var)
	if !ok || obj.IsField() || obj.Parent() == w.f.p.Types.Scope() {
		return
	}
	s, ok := core(obj.Type()).(*types.Slice)
	if !ok {
		return
	}
	u := w.slices[obj]
	if w.f.p.Info.Defs[id] != nil {
		u.depth = w.loops
	}
	if w.inner > 0 {
		u.captured = true
	}
	if size := w.f.size(s.Elem()); size > maxGrowElem {
		u.other = true
	}
	w.classify(&u, id)
	w.slices[obj] = u
}

// at is the n-th node around the current one.
func (w *useWalker) at(n int) ast.Node {
	if n > len(w.stack) {
		return nil
	}
	return w.stack[len(w.stack)-n]
}

// classify counts one use of a variable as the compiler would.
func (w *useWalker) classify(u *sliceUse, id *ast.Ident) {
	switch parent := w.at(1).(type) {
	case *ast.AssignStmt:
		w.assigned(u, id, parent.Lhs, parent.Rhs)
	case *ast.ValueSpec:
		lhs := make([]ast.Expr, len(parent.Names))
		for i, name := range parent.Names {
			lhs[i] = name
		}
		if len(parent.Values) > 0 {
			w.assigned(u, id, lhs, parent.Values)
		}
	case *ast.ReturnStmt:
		w.transition(u)
	case *ast.IndexExpr:
		addr, ok := w.at(2).(*ast.UnaryExpr)
		u.other = u.other || parent.X != id || ok && addr.Op == token.AND
	case *ast.SliceExpr:
		u.other = u.other || parent.X != id || !w.assignedBack(id, parent)
	case *ast.RangeStmt:
		u.other = u.other || parent.X != id
	case *ast.CallExpr:
		w.argument(u, id, parent)
	default:
		u.other = true
	}
}

func (w *useWalker) transition(u *sliceUse) {
	u.transitions++
	u.other = u.other || w.loops > u.depth
}

// assigned classifies id on either side of an assignment.
func (w *useWalker) assigned(u *sliceUse, id *ast.Ident, lhs, rhs []ast.Expr) {
	for i := range lhs {
		if len(lhs) != len(rhs) {
			u.other = u.other || lhs[i] == id
			continue
		}
		if rhs[i] == id {
			w.transition(u)
		}
		if lhs[i] != id {
			continue
		}
		switch y := rhs[i].(type) {
		case *ast.CompositeLit:
		case *ast.Ident:
			u.other = u.other || y.Name != "nil"
		case *ast.SliceExpr:
			u.other = u.other || !w.same(y.X, id)
		case *ast.CallExpr:
			if fun, _ := w.f.builtin(y); fun == "append" && w.same(y.Args[0], id) {
				u.appends += 1 + w.loops - u.depth
			} else {
				u.other = true
			}
		default:
			u.other = true
		}
	}
}

// same reports whether e is the variable id.
func (w *useWalker) same(e ast.Expr, id *ast.Ident) bool {
	x, ok := e.(*ast.Ident)
	return ok && w.f.p.Info.ObjectOf(x) == w.f.p.Info.ObjectOf(id)
}

// assignedBack reports whether e, the node around id, is assigned to id.
func (w *useWalker) assignedBack(id *ast.Ident, e ast.Expr) bool {
	as, ok := w.at(2).(*ast.AssignStmt)
	if !ok || len(as.Lhs) != len(as.Rhs) {
		return false
	}
	for i, rhs := range as.Rhs {
		if rhs == e {
			return w.same(as.Lhs[i], id)
		}
	}
	return false
}

// argument classifies id as an argument of a call. Whether a function lets it escape is not
// known here; most that take slices do not.
func (w *useWalker) argument(u *sliceUse, id *ast.Ident, call *ast.CallExpr) {
	switch fun, _ := w.f.builtin(call); fun {
	case "len", "cap":
		return
	case "append":
		u.other = u.other || call.Args[0] != id || !w.assignedBack(id, call)
		return
	case "":
	default:
		u.other = true
		return
	}
	sig, ok := w.f.p.Info.TypeOf(call.Fun).Underlying().(*types.Signature)
	if !ok || w.f.p.Info.Types[call.Fun].IsType() {
		u.other = true
		return
	}
	var callee types.Object
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		callee = w.f.p.Info.Uses[fun]
	case *ast.SelectorExpr:
		callee = w.f.p.Info.Uses[fun.Sel]
	}
	fn, ok := callee.(*types.Func)
	if !ok {
		u.other = true
		return
	}
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		u.other = true
		return
	}
	for i, arg := range call.Args {
		if arg != id {
			continue
		}
		last := sig.Params().Len() - 1
		if i >= last && sig.Variadic() && !call.Ellipsis.IsValid() || types.IsInterface(sig.Params().At(min(i, last)).Type()) {
			u.other = true // stored in a slice, or converted
		}
	}
}
