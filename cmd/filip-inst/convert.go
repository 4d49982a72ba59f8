package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/filip-go/filip/format"
)

// text is the verdict on n if it makes a string or a slice from one, or is a method value;
// not known if it is neither.
func (n node) text(e *escape) verdict {
	info := n.src.pkg.TypesInfo
	if x, ok := n.n.(ast.Expr); !ok || info.Types[x].Value != nil {
		return verdict{}
	}
	switch x := n.n.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.ADD && isString(n.typeOf(x)) {
			return seen(format.KindString)
		}
	case *ast.SelectorExpr:
		if sel := info.Selections[x]; sel != nil && sel.Kind() == types.MethodVal && !n.called {
			return seen(format.KindClosure)
		}
	case *ast.CallExpr:
		if n.conversion() == nil {
			break
		}
		to, from := n.typeOf(x), n.typeOf(x.Args[0])
		constant := info.Types[x.Args[0]].Value
		switch {
		case isString(to) && isString(from) || !isString(to) && !isString(from):
		case isString(to):
			return seen(format.KindString)
		case e.zeroCopy:
			return left(format.KindString, leftZeroCopy)
		case constant != nil && isBytes(to) && constant.ExactString() == `""`:
			return left(format.KindString, leftZero)
		case constant != nil && isBytes(to), refers(to):
			return seen(format.KindString)
		}
	}
	return verdict{}
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// unboxed is why the compiler allocates nothing for an interface that holds n, "" if it does.
func (n node) unboxed() string {
	x, ok := n.n.(ast.Expr)
	if !ok {
		return ""
	}
	t := n.typeOf(x)
	switch size := n.size(t); {
	case size == 0:
		return leftZero
	case n.static(x) && !strings.HasPrefix(n.src.pkg.PkgPath, "crypto/internal/fips140"): // which has none
		return leftConstant
	case size == 1:
		if b, ok := component(t).Underlying().(*types.Basic); ok && b.Info()&(types.IsInteger|types.IsBoolean) != 0 {
			return leftByte
		}
	}
	return ""
}

// component is the only field or element that t has, of the innermost type that has one.
func component(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if u.NumFields() == 1 {
			return component(u.Field(0).Type())
		}
	case *types.Array:
		if u.Len() == 1 {
			return component(u.Elem())
		}
	}
	return t
}

// static reports whether e is a constant, or a struct or an array of constants.
func (n node) static(e ast.Expr) bool {
	e = ast.Unparen(e)
	if n.src.pkg.TypesInfo.Types[e].Value != nil {
		return true
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch n.typeOf(lit).Underlying().(type) {
	case *types.Struct, *types.Array:
	default:
		return false
	}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			elt = kv.Value
		}
		if !n.static(elt) {
			return false
		}
	}
	return true
}
