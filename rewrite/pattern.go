package rewrite

import (
	"go/ast"
	"go/token"
)

// Patterns that the compiler recognises across expressions and statements, and that a call
// in their midst would hide from it.

// pairs finds m = make([]T, n) followed by copy(m, s), for which the compiler allocates
// without clearing (orderMakeSliceCopy in cmd/compile/internal/walk/order.go). The slice is
// looked at after the copy.
func (f *finder) pairs(list []ast.Stmt) {
	for i, stmt := range list {
		if i+1 == len(list) {
			return
		}
		next, ok := list[i+1].(*ast.ExprStmt)
		if !ok {
			continue
		}
		as, ok := unlabel(stmt).(*ast.AssignStmt)
		if !ok || len(as.Lhs) != 1 || len(as.Rhs) != 1 || as.Tok != token.ASSIGN && as.Tok != token.DEFINE {
			continue
		}
		m, ok := as.Lhs[0].(*ast.Ident)
		if !ok || m.Name == "_" {
			continue
		}
		mk, ok := as.Rhs[0].(*ast.CallExpr)
		if !ok || len(mk.Args) != 2 {
			continue
		}
		cp, ok := next.X.(*ast.CallExpr)
		if !ok || len(cp.Args) != 2 {
			continue
		}
		to, ok1 := cp.Args[0].(*ast.Ident)
		from, ok2 := cp.Args[1].(*ast.Ident)
		if !ok1 || !ok2 || to.Name != m.Name || from.Name == m.Name {
			continue
		}
		if fun, _ := f.builtin(mk); fun != "make" {
			continue
		}
		if fun, _ := f.builtin(cp); fun == "copy" {
			f.fused[mk] = next
		}
	}
}

func unlabel(s ast.Stmt) ast.Stmt {
	for {
		l, ok := s.(*ast.LabeledStmt)
		if !ok {
			return s
		}
		s = l.Stmt
	}
}

// local reports whether id is a variable of a function.
func (f *finder) local(id *ast.Ident) bool {
	obj := f.p.Info.ObjectOf(id)
	return obj != nil && obj.Parent() != f.p.Types.Scope()
}
