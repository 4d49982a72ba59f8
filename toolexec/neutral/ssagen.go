//go:build ignore

package ssagen

import (
	"os"
	"strings"
	"sync"

	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/internal/obj"
)

// What the edits of the neutral compiler call to have objects seen that no expression of the source
// allocates by itself: this file is added to cmd/compile/internal/ssagen. Such an allocation calls a
// function of FiLiP's in package runtime, which allocates as the one would that it stands for. It takes that
// one's place when the call is emitted, so that nothing before sees the difference.

// filipAllocations has the kinds of allocations that are to be seen in the package at hand.
var filipAllocations = "," + os.Getenv("FILIP_ALLOCATIONS") + ","

func filipSees(kind string) bool { return strings.Contains(filipAllocations, ","+kind+",") }

// filipCalls has the kinds of the marked calls.
var filipCalls sync.Map // of string by *ssa.AuxCall

// filipMark marks the call that allocates what ptr points to, or into.
func filipMark(ptr *ssa.Value, kind string) {
	if ptr.Op == ssa.OpOffPtr {
		ptr = ptr.Args[0]
	}
	if ptr.Op != ssa.OpSelectN || !filipSees(kind) {
		return // the object has no size
	}
	if call, ok := ptr.Args[0].Aux.(*ssa.AuxCall); ok && call.Fn != nil {
		filipCalls.Store(call, kind)
	}
}

// filipNew marks the call that allocates ptr for n, if it is for a closure, the arguments of a variadic
// function, or the bytes of a constant string.
func filipNew(n *ir.UnaryExpr, ptr *ssa.Value) *ssa.Value {
	switch t := n.Type().Elem(); {
	case t.Sym() != nil && t.Sym().Name == "table" && filipSees("table"): // in internal/runtime/maps
		filipMark(ptr, "table")
	case ir.FilipBytes(n):
		filipMark(ptr, "bytes")
	case ir.FilipVariadic(n):
		filipMark(ptr, "variadic")
	case t.IsStruct() && t.Noalg() && t.NumFields() > 0 && t.Field(0).Sym.Name == "F":
		filipMark(ptr, "closure")
	}
	return ptr
}

// filipCallee is the function to call.
func filipCallee(call *ssa.AuxCall) *obj.LSym {
	kind, ok := filipCalls.Load(call)
	if !ok {
		if call.Fn.Name != "runtime.mallocgc" || !filipSees("make") {
			return call.Fn
		}
		kind = "make" // whose result is then copied to
	}
	name := "mallocgc" // or one specialised for a size
	if call.Fn.Name == "runtime.newobject" {
		name = "newobject"
	}
	return base.Ctxt.LookupABI("runtime.filip_"+kind.(string)+"_"+name, obj.ABIInternal)
}
