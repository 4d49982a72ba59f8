package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/filip-go/filip/format"
)

// A verdict says which kind of allocation a line of the compiler's is about, and what becomes of it.
type verdict struct {
	kind   format.Kind
	known  bool   // there is a site, or a reason
	reason string // why it is left alone, "" if it is seen
}

// Reasons for which there is nothing to see, or for which it is not seen. Those of sites are
// package rewrite's.
const (
	leftConstant = "constant, laid out statically"
	leftZero     = "zero size"
	leftByte     = "one byte, for which the runtime has a table"
	leftFunction = "captures nothing, so is a function of the executable"
	leftZeroCopy = "shares the bytes of the string"
	notSeenData  = "not seen: was expected to be laid out statically"
)

// rewriteStatic is package rewrite's reason for leaving alone what is in the executable.
const rewriteStatic = "laid out statically"

func seen(kind format.Kind) verdict             { return verdict{kind, true, ""} }
func left(kind format.Kind, why string) verdict { return verdict{kind, true, why} }

// judge says what becomes of what e is about.
func (s *sources) judge(e *escape) (verdict, error) {
	what, shape := e.expression()
	own, inlined := s.at(e), s.inlined(e)
	switch shape {
	case shapeVariable:
		return s.compiled(e, variable(what, own)), nil
	case shapeAppend:
		return elements(format.KindAppend, own), nil
	case shapeVariadic:
		return s.compiled(e, elements(format.KindVariadic, own)), nil
	case shapeClosure:
		return s.compiled(e, closure(own, inlined)), nil
	case shapeAddress, shapeLiteral, shapeNew, shapeMake:
		for _, nodes := range [][]node{own, inlined} {
			for _, kind := range []format.Kind{format.KindComposite, format.KindNew, format.KindMake} {
				matching := matches(what, shape, kind, nodes)
				if len(matching) > 0 {
					return siteOf(kind, matching)
				}
			}
		}
		if shape == shapeAddress {
			return verdict{kind: format.KindComposite}, nil
		}
	}
	v := s.converted(e, what, own, inlined)
	if v.kind == format.KindClosure {
		v = s.compiled(e, v)
	}
	return v, nil
}

// compiled is v, of a kind that the edited compiler sees: where package runtime is built on the
// package it is not edited.
func (s *sources) compiled(e *escape, v verdict) verdict {
	if src := s.byPath[e.pkg]; src != nil && src.runtime && v.known && v.reason == "" {
		v.reason = skipRuntime
	}
	return v
}

// siteOf looks up the sites that stand for what was found: one if it stands at the position
// itself, perhaps several that look alike in what is inlined there.
func siteOf(kind format.Kind, nodes []node) (verdict, error) {
	v := verdict{kind: kind}
	for _, n := range nodes {
		skip, ok, err := n.site(kind)
		if err != nil {
			return v, err
		}
		if skip == rewriteStatic {
			// What the compiler lays out it no longer has when it says what escapes.
			skip = notSeenData
		}
		if ok && (!v.known || v.reason == "") {
			v.known, v.reason = true, skip
		}
	}
	return v, nil
}

// matches are the nodes of a kind that look like what the compiler says.
func matches(what string, shape shape, kind format.Kind, nodes []node) []node {
	var found []node
	for _, n := range nodes {
		ok := false
		switch x := n.n.(type) {
		case *ast.UnaryExpr:
			lit, isLit := ast.Unparen(x.X).(*ast.CompositeLit)
			ok = kind == format.KindComposite && shape == shapeAddress && x.Op == token.AND && isLit && sameType(what, n.typeOf(lit))
		case *ast.CompositeLit:
			t := n.typeOf(x)
			if shape == shapeAddress { // the & is left out
				p, isPointer := t.Underlying().(*types.Pointer)
				ok = kind == format.KindComposite && isPointer && sameType(what, p.Elem())
				break
			}
			ok = kind == format.KindComposite && shape == shapeLiteral && refers(t) && sameType(what, t)
		case *ast.CallExpr:
			ok = shape == shapeNew && kind == format.KindNew && n.builtin(x) == "new" ||
				shape == shapeMake && kind == format.KindMake && n.builtin(x) == "make" && sameType(what, n.typeOf(x))
		}
		if ok {
			found = append(found, n)
		}
	}
	return found
}

// refers reports whether a literal of type t allocates what it refers to: slices and maps.
func refers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	case *types.Interface: // a type parameter
		return !u.IsMethodSet()
	case *types.Pointer: // an element &T{…} with the & left out
		return refers(u.Elem())
	}
	return false
}

// sameType reports whether the compiler's words for an expression can be of one of type t. Of types
// without a name only what they are is compared, because instances have others.
func sameType(what string, t types.Type) bool {
	what = strings.TrimPrefix(strings.TrimPrefix(what, "make("), "&")
	if p, ok := types.Unalias(t).(*types.Pointer); ok && !strings.HasPrefix(what, "*") {
		t = p.Elem()
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name := what
		if i := strings.IndexAny(name, "[{,)"); i >= 0 {
			name = name[:i]
		}
		return name[strings.LastIndexByte(name, '.')+1:] == t.Obj().Name()
	case *types.Slice:
		return strings.HasPrefix(what, "[]")
	case *types.Array:
		return strings.HasPrefix(what, "[")
	case *types.Map:
		return strings.HasPrefix(what, "map[")
	case *types.Chan:
		return strings.Contains(what, "chan")
	case *types.Struct:
		return strings.HasPrefix(what, "struct")
	}
	return true // of a type parameter
}

func (n node) typeOf(e ast.Expr) types.Type {
	if t := n.src.pkg.TypesInfo.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// builtin is the name of the builtin function that a call calls.
func (n node) builtin(call *ast.CallExpr) string {
	fun := ast.Unparen(call.Fun)
	if id, ok := fun.(*ast.Ident); ok && n.src.pkg.TypesInfo.Types[fun].IsBuiltin() {
		return id.Name
	}
	return ""
}

// size is the size of t in bytes, -1 if it is not known.
func (n node) size(t types.Type) int64 {
	if n.generic || t == nil || t == types.Typ[types.Invalid] {
		return -1
	}
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return -1
	}
	if _, ok := t.(*types.Tuple); ok {
		return -1
	}
	return n.src.pkg.TypesSizes.Sizeof(t)
}

// variable is the verdict on a variable with a name, which is inlined if it is not declared there.
func variable(name string, own []node) verdict {
	for _, n := range own {
		id, ok := n.n.(*ast.Ident)
		if !ok || id.Name != name {
			continue
		}
		if v, ok := n.src.pkg.TypesInfo.Defs[id].(*types.Var); ok && n.size(v.Type()) == 0 {
			return left(format.KindVariable, leftZero)
		}
	}
	return seen(format.KindVariable)
}

// elements is the verdict on the array of a call's elements: of arguments, or of append.
func elements(kind format.Kind, own []node) verdict {
	for _, n := range own {
		call, ok := n.n.(*ast.CallExpr)
		if !ok {
			continue
		}
		var t types.Type
		if kind == format.KindAppend && n.builtin(call) == "append" {
			t = n.typeOf(call)
		} else if sig, ok := n.typeOf(call.Fun).Underlying().(*types.Signature); ok && kind == format.KindVariadic && sig.Variadic() {
			t = sig.Params().At(sig.Params().Len() - 1).Type()
		}
		if t == nil {
			continue
		}
		if slice, ok := t.Underlying().(*types.Slice); ok && n.size(slice.Elem()) == 0 {
			return left(kind, leftZero)
		}
	}
	return seen(kind)
}

// closure is the verdict on a function literal, or on one of those that are inlined.
func closure(own, inlined []node) verdict {
	for _, nodes := range [][]node{own, inlined} {
		known := false
		for _, n := range nodes {
			switch x := n.n.(type) {
			case *ast.FuncLit:
				if n.captures(x) {
					return seen(format.KindClosure)
				}
				known = true
			case *ast.RangeStmt: // its body, which has the state of the loop
				if _, ok := n.typeOf(x.X).Underlying().(*types.Signature); ok {
					return seen(format.KindClosure)
				}
			}
		}
		if known {
			return left(format.KindClosure, leftFunction)
		}
	}
	return verdict{kind: format.KindClosure}
}

// captures reports whether a function literal is an object with what it captures. In a
// generic function it always captures the types.
func (n node) captures(lit *ast.FuncLit) bool {
	if n.generic {
		return true
	}
	captures := false
	ast.Inspect(lit.Body, func(x ast.Node) bool {
		if id, ok := x.(*ast.Ident); ok {
			v, ok := n.src.pkg.TypesInfo.Uses[id].(*types.Var)
			captures = captures || ok && !v.IsField() && v.Parent() != v.Pkg().Scope() && (v.Pos() < lit.Pos() || v.Pos() >= lit.End())
		}
		return !captures
	})
	return captures
}

// converted is the verdict on an expression of any other shape: a conversion between strings
// and slices, a concatenation, a method value, or a conversion to an interface.
func (s *sources) converted(e *escape, what string, own, inlined []node) verdict {
	box := len(own) > 0
	for _, n := range own {
		v, call := n.text(e), isCall(n)
		if n.conversion() != nil && !n.converts {
			v = verdict{} // at its own position its value is converted
		}
		switch {
		case v.known && (len(e.inlined) == 0 || alike(what, n)):
			return v
		case call && len(e.inlined) > 0, n.converts && len(e.inlined) > 0:
			// The value of the call, or anything in what is inlined.
		case !n.converts:
			if why := n.unboxed(); why != "" {
				return left(format.KindBox, why)
			}
		}
	}
	if literal.MatchString(what) {
		return left(format.KindBox, leftConstant)
	}
	if !box {
		return verdict{kind: format.KindBox}
	}
	why, found := "", false
	for _, n := range inlined {
		if !alike(what, n) {
			continue
		}
		if v := n.text(e); v.known {
			return v
		}
		reason := n.unboxed()
		if found && reason != why {
			return seen(format.KindBox)
		}
		why, found = reason, true
	}
	return verdict{format.KindBox, true, why}
}

// literal matches a constant as the compiler prints it.
var literal = regexp.MustCompile(`^("([^"\\]|\\.)*"(\.\.\.)?|'.+'|[-+]?[0-9][-+.0-9eEx]*|true|false|nil)$`)

// alike reports whether what the compiler says can be of n.
func alike(what string, n node) bool {
	before, operand, called := strings.Cut(strings.TrimPrefix(what, "("), "(")
	before = strings.TrimSuffix(before, ")")
	switch x := n.n.(type) {
	case *ast.BinaryExpr:
		return strings.Contains(what, " + ")
	case *ast.CompositeLit:
		return strings.HasSuffix(what, "}") && sameType(what, n.typeOf(x))
	case *ast.SelectorExpr:
		if strings.HasSuffix(what, "."+x.Sel.Name) {
			return true
		}
	case *ast.CallExpr:
		if n.conversion() != nil && called {
			fun := strings.Trim(types.ExprString(x.Fun), "()")
			fun = fun[strings.LastIndexByte(fun, '.')+1:]
			if before == fun || strings.HasSuffix(before, "."+fun) {
				return true
			}
		}
	}
	// A constant of a type with a name.
	x, ok := n.n.(ast.Expr)
	return ok && called && n.src.pkg.TypesInfo.Types[x].Value != nil && literal.MatchString(strings.TrimSuffix(operand, ")")) && sameType(before, n.typeOf(x))
}

func isCall(n node) bool {
	_, ok := n.n.(*ast.CallExpr)
	return ok && n.conversion() == nil
}
