//go:build ignore

package ir

import (
	"strings"

	"cmd/compile/internal/base"
	"cmd/internal/src"
)

// What the edits of the neutral compiler call: this file is added to cmd/compile/internal/ir.

const filipPath = "github.com/filip-go/filip+inst/runtime"

// FilipOperand is the operand that n passes on if it is a call of one of FiLiP's helpers,
// inlined or not; not ok for any other node. Arguments are the dictionary, the operand, for some a
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
	if n.Op() != OCALLFUNC || n.Fun.Op() != ONAME {
		return false
	}
	fun := n.Fun.(*Name)
	return fun.Class == PFUNC && fun.Sym().Pkg.Path == filipPath
}

// FilipInlined reports whether pos is within the inlined body of one of FiLiP's helpers.
func FilipInlined(pos src.XPos) bool {
	index := base.Ctxt.PosTable.Pos(pos).Base().InliningIndex()
	if index < 0 {
		return false
	}
	_, ok := filipFunc(index)
	return ok
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
	call, ok := v.(*InlinedCallExpr)
	if !ok {
		return as
	}
	x, _ := FilipOperand(call)
	if x == nil {
		return as
	}
	return NewAssignListStmt(as.Pos(), OAS2, as.Lhs, []Node{x})
}
