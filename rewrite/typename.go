package rewrite

import (
	"go/types"
	"strconv"
	"strings"
)

// typeName is the name of a type as profiles have it: package paths in full, "main" for any
// package of that name, aliases resolved. It is what runtime/collect makes of a type
// descriptor, so that a type has one name whether it comes from the source or, in generic code,
// from the running program.
func typeName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		switch t.Kind() {
		case types.Uint8:
			return "byte"
		case types.Int32:
			return "int32" // not rune
		}
		return t.String()
	case *types.Named:
		name := t.Obj().Name()
		if p := t.Obj().Pkg(); p != nil {
			name = qualify(p) + "." + name
		}
		return name + typeArgs(t.TypeArgs())
	case *types.Pointer:
		return "*" + typeName(t.Elem())
	case *types.Slice:
		return "[]" + typeName(t.Elem())
	case *types.Array:
		return "[" + strconv.FormatInt(t.Len(), 10) + "]" + typeName(t.Elem())
	case *types.Map:
		return "map[" + typeName(t.Key()) + "]" + typeName(t.Elem())
	case *types.Chan:
		if t.Dir() == types.SendRecv {
			return "chan " + typeName(t.Elem())
		}
	case *types.Interface:
		if t.Empty() {
			return "any"
		}
	}
	return types.TypeString(t, qualify)
}

func qualify(p *types.Package) string {
	if p.Name() == "main" {
		return "main"
	}
	return p.Path()
}

// typeArgs writes type arguments as the compiler does in the names of instantiated types.
func typeArgs(args *types.TypeList) string {
	if args.Len() == 0 {
		return ""
	}
	var b strings.Builder
	for i := range args.Len() {
		b.WriteString([2]string{"[", ","}[min(i, 1)])
		switch arg := types.Unalias(args.At(i)); arg.String() {
		case "byte":
			b.WriteString("uint8")
		case "rune":
			b.WriteString("int32")
		case "any":
			b.WriteString("interface {}")
		default:
			b.WriteString(types.TypeString(arg, qualify))
		}
	}
	b.WriteString("]")
	return b.String()
}
