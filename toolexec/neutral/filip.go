//go:build ignore

package ir

import (
	"strings"

	"cmd/compile/internal/base"
	"cmd/compile/internal/types"
	"cmd/internal/src"
)

// What the edits of the neutral compiler call: this file is added to cmd/compile/internal/ir.

const filipPath = "github.com/filip-go/filip+inst/runtime"

// FilipOperand is the operand that n passes on if it is a call of one of FiLiP's helpers,
// inlined or not, converted or not; not ok for any other node. Arguments are the dictionary, the operand, for some a
// nil pointer, the site, the slow path. Seen is a statement that the source does not have: no
// operand.
func FilipOperand(n Node) (x Node, ok bool) {
	var name string
	var args []Node
	switch n := n.(type) {
	case *CallExpr:
		if !FilipCall(n) {
			return nil, false
		}
		name, args = n.Fun.Sym().Name, n.Args
	case *InlinedCallExpr:
		init := n.Init()
		last := len(init) - 1
		if last < 1 || init[0].Op() != OAS2 || init[last].Op() != OINLMARK {
			return nil, false
		}
		if name, ok = filipFunc(int(init[last].(*InlineMarkStmt).Index)); !ok {
			return nil, false
		}
		args = init[0].(*AssignListStmt).Rhs
	case *ConvExpr:
		// Around the call: back to the operand's type, which has a name. It lost that as an argument.
		if n.Op() != OCONVNOP {
			return nil, false
		}
		x, _ := FilipOperand(n.X)
		arg, ok := x.(*ConvExpr)
		if !ok || arg.Op() != OCONVNOP || !types.Identical(arg.X.Type(), n.Type()) {
			return nil, false
		}
		return arg.X, true
	default:
		return nil, false
	}
	if len(args) < 4 || strings.HasPrefix(name, "Seen") {
		return nil, true
	}
	return args[1], true
}

// FilipCall reports whether n calls one of FiLiP's helpers by its name.
func FilipCall(n *CallExpr) bool {
	return n.Op() == OCALLFUNC && n.Fun.Op() == ONAME && FilipName(n.Fun.(*Name))
}

// FilipName reports whether fun is one of FiLiP's helpers.
func FilipName(fun *Name) bool { return fun.Class == PFUNC && fun.Sym().Pkg.Path == filipPath }

// FilipPasses reports whether param is the operand of a helper, which it returns.
func FilipPasses(param *types.Field) bool {
	switch param.Sym.Name {
	case "p", "x", "r":
		return true
	}
	return false
}

// FilipInlined reports whether pos is within the inlined body of one of FiLiP's helpers.
func FilipInlined(pos src.XPos) bool { return FilipOutside(pos) != pos }

// FilipOutside is pos, or where the helper is called if it is within an inlined one.
func FilipOutside(pos src.XPos) src.XPos {
	for {
		index := base.Ctxt.PosTable.Pos(pos).Base().InliningIndex()
		if index < 0 {
			return pos
		}
		if _, ok := filipFunc(index); !ok {
			return pos
		}
		pos = base.Ctxt.InlTree.CallPos(index)
	}
}

// filipFunc is the name of the helper that the inlined call with the given index is one of.
func filipFunc(index int) (name string, ok bool) {
	return strings.CutPrefix(base.Ctxt.InlTree.InlinedFunction(index).Name, filipPath+".")
}

// FilipNodes is the number of nodes that n adds to a function if it is one of our calls,
// those of its operand left out.
func FilipNodes(n Node) int {
	call, ok := n.(*CallExpr)
	if !ok || !FilipCall(call) {
		return 0
	}
	x, _ := FilipOperand(call)
	return filipCount(n) - filipCount(x)
}

func filipCount(n Node) int {
	count := 0
	if n != nil {
		Visit(n, func(Node) { count++ })
	}
	return count
}

// FilipBody is as, the assignment of an inlined function's results, with its value replaced by
// the operand if that is one of our calls.
func FilipBody(as *AssignListStmt) *AssignListStmt {
	if len(as.Rhs) != 1 {
		return as
	}
	v := as.Rhs[0]
	for v.Op() == OCONVNOP {
		v = v.(*ConvExpr).X
	}
	x, _ := FilipOperand(v)
	if x == nil {
		return as
	}
	return NewAssignListStmt(as.Pos(), OAS2, as.Lhs, []Node{x})
}

// FilipBytes reports whether n, of the bytes of a constant string, is marked as such.
func FilipBytes(n *UnaryExpr) bool { return n.flags&miniExprBounded != 0 }

// FilipMarkBytes marks n, the allocation for a conversion.
func FilipMarkBytes(n Node) { n.(*UnaryExpr).flags.set(miniExprBounded, true) }

// FilipVariadic reports whether n, of a slice of arguments, is marked as such.
func FilipVariadic(n *UnaryExpr) bool { return n.flags&miniExprImplicit != 0 }

// FilipMarkVariadic marks n, the allocation for a literal.
func FilipMarkVariadic(n Node, lit *CompLitExpr) {
	n.(*UnaryExpr).flags.set(miniExprImplicit, lit.Implicit())
}
