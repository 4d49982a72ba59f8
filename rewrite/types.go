package rewrite

import (
	"go/ast"
	"go/types"
)

// Reasons for leaving a site alone.
const (
	skipStatic     = "laid out statically"
	skipKind       = "of a kind that FILIP_KINDS leaves out"
	skipDroppable  = "map the linker may drop"
	skipDead       = "not evaluated"
	skipZero       = "zero size"
	skipEmpty      = "allocates nothing"
	skipAppend     = "extended in place by the compiler"
	skipGrows      = "slice that may grow on the stack"
	skipName       = "element type cannot be named here"
	skipCore       = "type set without a common underlying type"
	skipOrder      = "a call that follows may change its operands"
	skipNotInHeap  = "type cannot be a type argument"
	skipFileName   = "file name does not fit a //line directive"
	skipMany       = "function has too many sites"
	skipPragmaForm = "function is marked "
)

// With inlined helpers the time that the compiler takes for a function grows with the square
// of its sites (100: 0.05 s; 1,000: 3.6 s), and there are generated functions that do nothing but
// fill a table. From inlinedSites on, helpers are called; beyond maxSites all is left alone.
const (
	inlinedSites = 100
	maxSites     = 4000
)

// core is the underlying type of t or, for a type parameter, the one that the types of its
// type set share; nil if they do not seem to.
func core(t types.Type) types.Type {
	param, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	var common types.Type
	if !coreOfSet(param.Underlying(), &common, 0) {
		return nil
	}
	return common
}

// coreOfSet merges the underlying types of the terms of t into common and reports whether
// they are alike. The depth guards against constraints that embed themselves.
func coreOfSet(t types.Type, common *types.Type, depth int) bool {
	if depth > 100 {
		return false
	}
	switch t := t.(type) {
	case *types.Union:
		for i := range t.Len() {
			if !coreOfSet(t.Term(i).Type(), common, depth+1) {
				return false
			}
		}
		return true
	}
	if it, ok := t.Underlying().(*types.Interface); ok {
		for i := range it.NumEmbeddeds() {
			if !coreOfSet(it.EmbeddedType(i), common, depth+1) {
				return false
			}
		}
		return true
	}
	u := t.Underlying()
	if *common == nil {
		*common = u
		return true
	}
	if x, ok := (*common).(*types.Chan); ok {
		if y, ok := u.(*types.Chan); ok {
			return types.Identical(x.Elem(), y.Elem())
		}
	}
	return types.Identical(*common, u)
}

// notInHeap reports whether t can neither be allocated nor be a type argument: C types that
// cgo knows only by name, and the runtime's own.
func notInHeap(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if obj := t.Obj(); obj.Pkg() != nil {
			switch path, name := obj.Pkg().Path(), obj.Name(); {
			case path == "runtime/cgo" && name == "Incomplete", path == "internal/runtime/sys" && (name == "NotInHeap" || name == "nih"):
				return true
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Struct, *types.Array:
			return notInHeap(u)
		}
	case *types.Array:
		return notInHeap(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if notInHeap(f.Type()) {
				return true
			}
		}
	}
	return false
}

// generic reports whether t is one type per instantiation of the enclosing function.
func (f *finder) generic(t types.Type) bool {
	if known, ok := f.generics[t]; ok {
		return known
	}
	f.generics[t] = false // for types that contain themselves
	g := f.mentionsParam(t)
	f.generics[t] = g
	return g
}

func (f *finder) mentionsParam(t types.Type) bool {
	switch t := t.(type) {
	case *types.TypeParam:
		return true
	case *types.Alias:
		return f.generic(types.Unalias(t))
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if f.generic(arg) {
				return true
			}
		}
		return f.inGeneric(t.Obj())
	case interface{ Elem() types.Type }:
		if m, ok := t.(*types.Map); ok && f.generic(m.Key()) {
			return true
		}
		return f.generic(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			if f.generic(v.Type()) {
				return true
			}
		}
	case *types.Tuple:
		for v := range t.Variables() {
			if f.generic(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return f.generic(t.Params()) || f.generic(t.Results())
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if f.generic(m.Type()) {
				return true
			}
		}
		for e := range t.EmbeddedTypes() {
			if f.generic(e) {
				return true
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			if f.generic(term.Type()) {
				return true
			}
		}
	}
	return false
}

// inGeneric reports whether a type is declared inside a generic function, which makes it
// a different one in each instantiation.
func (f *finder) inGeneric(obj types.Object) bool {
	return obj.Pkg() == f.p.Types && obj.Parent() != nil && obj.Parent() != obj.Pkg().Scope() && f.top().fn != nil && f.top().fn.generic
}

// size is the static size of t in bytes, -1 where it is not known.
func (f *finder) size(t types.Type) int64 {
	if f.generic(t) {
		return -1
	}
	return max(f.p.Sizes.Sizeof(t), -1)
}

// constant is the value of an integer constant, -1 where e is none.
func (f *finder) constant(e ast.Expr) int64 {
	v := f.p.Info.Types[e].Value
	if v == nil {
		return -1
	}
	n, ok := intValue(v)
	if !ok {
		return -1
	}
	return n
}
