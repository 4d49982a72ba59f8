package rewrite

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// What the compiler does with package-level initialisers, after StaticAssign, AnySideEffects
// and tryWrapGlobalInit in cmd/compile/internal/staticinit/sched.go. Composite literals of
// every kind but maps become data of the executable, as far as they are reached through
// nothing but other literals, & and conversions; parts of them that must be computed are
// stored there by the package's init function.

// droppableNodes is the number of nodes from which a map initialiser gets a function of its
// own, for the linker to drop along with an unused map.
const droppableNodes = 20

// A layout says what becomes of an expression of a package-level initialiser.
type layout uint8

const (
	dynamic   layout = iota
	inData           // the value is stored in the executable
	maybeData        // the same, if the call it is an argument of is inlined
)

// initialiser is the context of a value of a package-level variable declaration.
func (f *finder) initialiser(fr *frame, spec *ast.ValueSpec, value ast.Expr) {
	blank := true
	for i, name := range spec.Names {
		if len(spec.Names) == len(spec.Values) && spec.Values[i] != value {
			continue
		}
		blank = blank && name.Name == "_"
		if len(spec.Names) != len(spec.Values) {
			continue
		}
		fr.layout = inData
		if obj := f.p.Info.Defs[name]; obj != nil && name.Name != "_" && isMap(obj.Type()) && f.droppable(value) {
			fr.skip = skipDroppable
		}
		break
	}
	if blank && !f.sideEffects(value) {
		fr.skip = skipDead
	}
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// within is the layout of child, an expression in parent, which has layout l.
func (f *finder) within(l layout, parent, child ast.Node) layout {
	if l == dynamic {
		return dynamic
	}
	switch parent := parent.(type) {
	case *ast.ParenExpr:
		return l
	case *ast.UnaryExpr:
		if _, ok := ast.Unparen(parent.X).(*ast.CompositeLit); ok && parent.Op == token.AND {
			return l
		}
	case *ast.KeyValueExpr:
		if child == parent.Value {
			return l
		}
	case *ast.CompositeLit:
		if !isMap(deref(f.p.Info.TypeOf(parent))) {
			return l
		}
	case *ast.CallExpr:
		if child == parent.Fun {
			return dynamic
		}
		if tv := f.p.Info.Types[parent.Fun]; tv.IsType() {
			if _, ok := tv.Type.Underlying().(*types.Array); !ok {
				return l
			}
		} else if f.returnsOnly(parent.Fun) {
			return maybeData
		}
	}
	return dynamic
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// returnsOnly reports whether fun is a function of this package that does nothing but
// return an expression: a call of it in an initialiser may become data, too.
func (f *finder) returnsOnly(fun ast.Expr) bool {
	id, ok := ast.Unparen(fun).(*ast.Ident)
	if !ok {
		return false
	}
	obj, ok := f.p.Info.Uses[id].(*types.Func)
	if !ok || obj.Pkg() != f.p.Types {
		return false
	}
	if f.returns == nil {
		f.returns = make(map[types.Object]bool)
		for _, file := range f.p.Files {
			for _, d := range file.AST.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && len(d.Body.List) == 1 {
					_, ok := d.Body.List[0].(*ast.ReturnStmt)
					f.returns[f.p.Info.Defs[d.Name]] = ok
				}
			}
		}
	}
	return f.returns[obj]
}

// droppable reports whether the compiler gives the initialiser of a map variable a function
// of its own.
func (f *finder) droppable(value ast.Expr) bool {
	nodes := 0
	f.count(value, &nodes)
	return nodes >= droppableNodes && !f.sideEffects(value)
}

// count adds the number of nodes that the compiler has for e.
func (f *finder) count(e ast.Expr, nodes *int) {
	tv := f.p.Info.Types[e]
	if tv.Value != nil {
		*nodes++
		return
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.ParenExpr:
			return true
		case *ast.CompositeLit:
			*nodes++
			t := f.p.Info.TypeOf(n)
			if n.Type == nil && isPointer(t) {
				*nodes++
			}
			f.countElements(deref(t), n.Elts, nodes)
			return false
		case *ast.SelectorExpr:
			if f.p.Info.Selections[n] == nil {
				*nodes++
				return false
			}
			*nodes++
			f.count(n.X, nodes)
			return false
		case ast.Expr:
			*nodes++
			if tv := f.p.Info.Types[n]; tv.Value != nil || tv.IsType() {
				return false
			}
		}
		return true
	})
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// countElements counts the elements of a literal of type t: keys, and the conversions to
// interface types that the source does not show.
func (f *finder) countElements(t types.Type, elts []ast.Expr, nodes *int) {
	for i, elt := range elts {
		var to types.Type
		value := elt
		kv, keyed := elt.(*ast.KeyValueExpr)
		if keyed {
			value = kv.Value
			*nodes++
		}
		switch t := t.Underlying().(type) {
		case *types.Struct:
			if keyed {
				if v, ok := f.p.Info.Uses[kv.Key.(*ast.Ident)].(*types.Var); ok {
					to = v.Type()
				}
			} else {
				*nodes++
				to = t.Field(i).Type()
			}
		case *types.Map:
			f.count(kv.Key, nodes)
			f.countConversion(t.Key(), kv.Key, nodes)
			to = t.Elem()
		case interface{ Elem() types.Type }:
			if keyed {
				*nodes++
			}
			to = t.Elem()
		}
		f.count(value, nodes)
		f.countConversion(to, value, nodes)
	}
}

func (f *finder) countConversion(to types.Type, e ast.Expr, nodes *int) {
	if to == nil || !types.IsInterface(to) {
		return
	}
	if t := f.p.Info.TypeOf(e); t != nil && !types.IsInterface(t) && t != types.Typ[types.UntypedNil] {
		*nodes++
	}
}

// sideEffects reports whether evaluating e may do anything but compute a value.
func (f *finder) sideEffects(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if found {
			return false
		}
		if e, ok := n.(ast.Expr); ok {
			if tv := f.p.Info.Types[e]; tv.Value != nil || tv.IsType() {
				return false
			}
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.TypeAssertExpr, *ast.StarExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.SliceExpr:
			found = true
		case *ast.SelectorExpr:
			sel := f.p.Info.Selections[n]
			found = sel != nil && (sel.Kind() != types.FieldVal || sel.Indirect())
			if sel == nil {
				return false
			}
		case *ast.UnaryExpr:
			found = n.Op == token.ARROW
		case *ast.BinaryExpr:
			if n.Op == token.QUO || n.Op == token.REM {
				v := f.p.Info.Types[n.Y].Value
				found = v == nil || constant.Sign(v) == 0
			}
		case *ast.CallExpr:
			found = f.callEffects(n)
		}
		return !found
	})
	return found
}

// callEffects is sideEffects for the call itself, without its arguments.
func (f *finder) callEffects(n *ast.CallExpr) bool {
	tv := f.p.Info.Types[n.Fun]
	if tv.IsType() {
		_, array := tv.Type.Underlying().(*types.Array)
		return array // of a slice: panics if it is too short
	}
	if !tv.IsBuiltin() {
		return true
	}
	switch builtinName(n.Fun) {
	case "new", "len", "cap", "real", "imag", "complex":
		return false
	case "make":
		if _, slice := core(f.p.Info.TypeOf(n)).(*types.Slice); !slice {
			return len(n.Args) > 1 && f.constant(n.Args[1]) != 0
		}
	}
	return true
}

func builtinName(fun ast.Expr) string {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

func intValue(v constant.Value) (int64, bool) {
	return constant.Int64Val(constant.ToInt(v))
}
