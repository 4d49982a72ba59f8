package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// In f(&T{x}, g()), the language leaves open whether x is read before g is called. The
// compiler calls functions first, then evaluates the other operands; a wrapped literal is a
// call, and would be evaluated before g. A program that can tell the difference must not
// be able to tell that it is instrumented, so such literals are left alone. There are four
// in the standard library.

// statementCalls are the calls of one statement, or of an expression that is a part of one.
type statementCalls struct {
	last      token.Pos                  // where the last call or receive starts
	addressed map[types.Object]token.Pos // variables of functions: where they are last referred to with &
}

// reordered reports whether wrapping e, on top of the stack, would let it read a variable
// before a call that may change it, rather than after.
func (f *finder) reordered(e ast.Node) bool {
	i := len(f.stack) - 1
	for i > 0 {
		if _, ok := f.stack[i].node.(ast.Expr); !ok {
			break
		}
		i--
	}
	switch f.stack[i].node.(type) {
	case *ast.AssignStmt, *ast.DeferStmt, *ast.ExprStmt, *ast.GoStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.ValueSpec:
	default:
		i++ // such as if: the condition, not what depends on it
	}
	whole := f.stack[i].node
	calls, ok := f.calls[whole]
	if !ok {
		calls = f.scanCalls(whole)
		f.calls[whole] = calls
	}
	return calls.last >= e.End() && f.reads(e, calls.addressed)
}

func (f *finder) scanCalls(whole ast.Node) *statementCalls {
	calls := &statementCalls{addressed: make(map[types.Object]token.Pos)}
	address := func(e ast.Expr, pos token.Pos) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			calls.addressed[f.p.Info.Uses[id]] = pos
		}
	}
	ast.Inspect(whole, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if f.calling(n) {
				calls.last = max(calls.last, n.Pos())
			}
		case *ast.UnaryExpr:
			switch n.Op {
			case token.ARROW:
				calls.last = max(calls.last, n.Pos())
			case token.AND:
				address(n.X, n.Pos())
			}
		case *ast.SelectorExpr:
			sel := f.p.Info.Selections[n]
			if sel != nil && sel.Kind() == types.MethodVal && isPointer(sel.Obj().(*types.Func).Signature().Recv().Type()) {
				address(n.X, n.Pos())
			}
		}
		return true
	})
	return calls
}

// calling reports whether n calls a function, and is not a conversion or a builtin.
func (f *finder) calling(n *ast.CallExpr) bool {
	tv := f.p.Info.Types[n.Fun]
	return !tv.IsType() && !tv.IsBuiltin()
}

// reads reports whether e reads a variable that a call may change: anything but a local
// variable to which the rest of the statement does not refer with &.
func (f *finder) reads(e ast.Node, addressed map[types.Object]token.Pos) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if f.calling(n) {
				return false // its operands are read when it is called
			}
		case *ast.SelectorExpr:
			sel := f.p.Info.Selections[n]
			found = found || sel != nil && sel.Kind() == types.FieldVal
		case *ast.IndexExpr:
			found = found || f.p.Info.Types[n.X].IsValue()
		case *ast.StarExpr:
			found = found || f.p.Info.Types[n].IsValue()
		case *ast.Ident:
			v, ok := f.p.Info.Uses[n].(*types.Var)
			if ok && !v.IsField() {
				found = found || v.Parent() == v.Pkg().Scope() || addressed[v] >= e.End()
			}
		}
		return !found
	})
	return found
}
