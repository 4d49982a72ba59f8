package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/filip-go/filip/format"
)

// A form is the shape of the expression that a helper takes and returns.
type form uint8

const (
	formPtr      form = iota // *T
	formSlice                // []T
	formMap                  // map[K]V
	formChan                 // chan T
	formSliceVar             // *[]T: the variable and, as a second site, the elements
	formMapVar               // *map[K]V: the variable and, as a second site, the map
)

// A site is what it takes to wrap the expression of a Found.
type site struct {
	fn         *function
	found      int    // its index
	second     int    // of formSliceVar and formMapVar: the index of what the variable refers to
	skip       string // why it is left alone, if the expression itself says so
	file       int
	start, end int    // offsets of the expression, or of the end of the statement to follow
	at         int    // offset of the position that the compiler gives the expression
	after      string // variable to look at in a statement of its own, in place of the expression
	form       form
	generic    bool   // the type depends on the instantiation
	spelled    string // what an elided literal leaves out
	convert    string // type that the helper's result must be converted to
}

// add records a site for an object of type t at pos, unless its context forbids it.
func (f *finder) add(s site, e ast.Node, pos token.Pos, kind format.Kind, t types.Type, bytes int64) {
	skip := f.forbidden(&s, e, kind, t)
	f.note(pos, kind, t, bytes, skip)
	if skip == "" {
		f.keep(s, e)
	}
}

// addVar records the site of a variable of type t and the site of what it refers to, which
// one helper sees to.
func (f *finder) addVar(s site, e ast.Node, pos, inner token.Pos, t types.Type, bytes int64) {
	skip := f.forbidden(&s, e, format.KindComposite, t)
	f.note(pos, format.KindComposite, t, f.size(t), skip)
	f.note(inner, format.KindComposite, t, bytes, skip)
	if skip == "" {
		s.second = len(f.found) - 1
		f.keep(s, e)
		f.sites[len(f.sites)-1].found--
	}
}

// forbidden is the reason why the expression or its context forbid wrapping, or "".
func (f *finder) forbidden(s *site, e ast.Node, kind format.Kind, t types.Type) string {
	fr := f.top()
	switch {
	case f.p.Leave != nil && f.p.Leave(kind):
		return skipKind
	case s.skip != "":
		return s.skip
	case fr.skip != "":
		return fr.skip
	case fr.layout != dynamic && kind == format.KindComposite && s.form != formMap:
		return skipStatic
	case notInHeap(object(t, s.form)):
		return skipNotInHeap
	case s.after == "" && f.reordered(e):
		return skipOrder
	}
	return ""
}

// function is the one that the expression on top of the stack belongs to.
func (f *finder) function() *function {
	if fn := f.top().fn; fn != nil {
		return fn
	}
	return f.initFn
}

// note lists a site.
func (f *finder) note(pos token.Pos, kind format.Kind, t types.Type, bytes int64, skip string) {
	at := f.p.Fset.PositionFor(pos, true)
	name := at.Filename
	if f.p.TrimPath != nil {
		name = f.p.TrimPath(name)
	}
	f.found = append(f.found, Found{Pos: at, Skip: skip, Site: format.Site{
		File:     name,
		Line:     at.Line,
		Column:   at.Column,
		Function: f.function().name,
		Package:  f.p.Path,
		Kind:     kind,
		Type:     f.typeString(t),
		Bytes:    bytes,
	}})
}

// keep has s, the site listed last, wrapped.
func (f *finder) keep(s site, e ast.Node) {
	s.fn, s.found, s.file = f.function(), len(f.found)-1, f.file
	s.fn.sites++
	if s.after == "" {
		s.start = f.pos.Offset(e.Pos())
		s.at = f.pos.Offset(compilerPos(e))
	}
	s.end = f.pos.Offset(e.End())
	f.sites = append(f.sites, s)
}

// compilerPos is the position of an expression to the compiler, which is not its start: that of
// the token that makes it what it is.
func compilerPos(e ast.Node) token.Pos {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return e.Lbrace
	case *ast.CallExpr:
		return e.Lparen
	}
	return e.Pos()
}

// object is the type argument of the helper for a site of type t.
func object(t types.Type, form form) types.Type {
	if form == formSlice {
		if s, ok := core(t).(*types.Slice); ok {
			return s.Elem()
		}
	}
	return t
}

func (f *finder) typeString(t types.Type) string {
	s, ok := f.strings[t]
	if !ok {
		s = typeName(t)
		f.strings[t] = s
	}
	return s
}

// address records the sites of &T{…}.
func (f *finder) address(n *ast.UnaryExpr, lit *ast.CompositeLit) {
	f.pointer(n, n.Pos(), lit.Pos(), lit, f.p.Info.TypeOf(lit), "")
}

// pointer records the sites of e, which is &T{…} or, with spelled, such a literal with &T
// left out: the variable and, where T is a slice or a map, what it refers to.
func (f *finder) pointer(e ast.Node, pos, inner token.Pos, lit *ast.CompositeLit, t types.Type, spelled string) {
	header := site{form: formPtr}
	f.place(&header, t)
	refers := false
	switch u := core(t).(type) {
	case *types.Slice:
		refers = len(lit.Elts) > 0 && f.size(u.Elem()) != 0
	case *types.Map:
		refers = true
	case nil:
		header.skip = skipCore
	}
	if spelled == "" && lit.Type == nil {
		header.skip = skipName
	}
	header.spelled = spelled
	if !refers {
		f.add(header, e, pos, format.KindComposite, t, f.size(t))
		return
	}
	header.form = formMapVar
	bytes := int64(-1)
	if u, ok := core(t).(*types.Slice); ok {
		header.form = formSliceVar
		bytes = f.elements(u, f.length(lit))
	}
	f.addVar(header, e, pos, inner, t, bytes)
}

// place fills in what the size and the type parameters of an object of type t decide.
func (f *finder) place(s *site, t types.Type) {
	s.generic = f.generic(t)
	if s.generic {
		return
	}
	if f.size(t) == 0 {
		s.skip = skipZero
	}
}

// elements is the size of n elements of a slice, -1 if it is not known.
func (f *finder) elements(s *types.Slice, n int64) int64 {
	size := f.size(s.Elem())
	if size < 0 || n < 0 || size > 0 && n > (1<<62)/size {
		return -1
	}
	return n * size
}

// length is the length of a slice literal.
func (f *finder) length(lit *ast.CompositeLit) int64 {
	var n, next int64
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			next = f.constant(kv.Key)
		}
		next++
		n = max(n, next)
	}
	return n
}

// composite records the sites of a literal that is not the operand of a written &.
func (f *finder) composite(lit *ast.CompositeLit) {
	t := f.p.Info.TypeOf(lit)
	spelled := ""
	if lit.Type == nil {
		if p, ok := core(t).(*types.Pointer); ok {
			if text, ok := f.spell(p.Elem(), lit.Pos()); ok {
				spelled = "&" + text
			}
			f.pointer(lit, lit.Pos(), lit.Pos(), lit, p.Elem(), spelled)
			return
		}
	}
	s := site{}
	switch core(t).(type) {
	case *types.Slice:
		s.form = formSlice
	case *types.Map:
		s.form = formMap
	default:
		return
	}
	s.generic = f.generic(t)
	if lit.Type == nil {
		// An element is assigned, so it need not have the named type.
		var ok bool
		if s.spelled, ok = f.spell(t, lit.Pos()); !ok {
			s.skip = skipName
		}
	} else if s.form == formSlice && !isSlice(t) {
		s.convert = f.text(lit.Type)
	}
	bytes := int64(-1)
	if u, ok := core(t).(*types.Slice); ok {
		bytes = f.elements(u, f.length(lit))
		switch {
		case len(lit.Elts) == 0, bytes == 0:
			s.skip = skipEmpty
		case f.grows(lit):
			s.skip = skipGrows
		}
	}
	f.add(s, lit, lit.Pos(), format.KindComposite, t, bytes)
}

// isSlice reports whether t is a slice type without a name of its own.
func isSlice(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Slice)
	return ok
}

// builtinCall records the site of a call of new or make.
func (f *finder) builtinCall(n *ast.CallExpr, fun string) {
	switch {
	case len(n.Args) == 0:
	case fun == "new":
		p, ok := f.p.Info.TypeOf(n).Underlying().(*types.Pointer)
		if !ok {
			return
		}
		s := site{form: formPtr}
		f.place(&s, p.Elem())
		f.add(s, n, n.Pos(), format.KindNew, p.Elem(), f.size(p.Elem()))
	case fun == "make":
		f.makeCall(n)
	}
}

func (f *finder) makeCall(n *ast.CallExpr) {
	t := f.p.Info.TypeOf(n)
	s := site{generic: f.generic(t)}
	bytes := int64(-1)
	switch u := core(t).(type) {
	case *types.Slice:
		s.form = formSlice
		capacity := f.constant(n.Args[len(n.Args)-1])
		bytes = f.elements(u, capacity)
		size := f.size(u.Elem())
		if capacity == 0 || size == 0 {
			s.skip = skipEmpty
		}
		switch {
		case f.extends(n):
			s.skip = skipAppend
		case f.fused[n] != nil:
			stmt := f.fused[n]
			m := stmt.X.(*ast.CallExpr).Args[0].(*ast.Ident)
			if f.local(m) {
				s.after = m.Name
				f.add(s, stmt, n.Pos(), format.KindMake, t, bytes)
				return
			}
		}
		if !isSlice(t) {
			s.convert = f.text(n.Args[0])
		}
	case *types.Map:
		s.form = formMap
	case *types.Chan:
		s.form = formChan
	default:
		s.skip = skipCore
	}
	f.add(s, n, n.Pos(), format.KindMake, t, bytes)
}

// extends reports whether the call of make on top of the stack is the last operand of
// append(x, make([]T, n)...), for which the compiler allocates nothing but x's new array.
func (f *finder) extends(n *ast.CallExpr) bool {
	if len(n.Args) != 2 {
		return false
	}
	for i := len(f.stack) - 2; i >= 0; i-- {
		switch call := f.stack[i].node.(type) {
		case *ast.ParenExpr:
			continue
		case *ast.CallExpr:
			fun, _ := f.builtin(call)
			return fun == "append" && call.Ellipsis.IsValid() && len(call.Args) == 2 && ast.Unparen(call.Args[1]) == n
		}
		return false
	}
	return false
}

// text is the source of a type expression, on one line.
func (f *finder) text(e ast.Expr) string {
	src := string(f.p.Files[f.file].Src[f.pos.Offset(e.Pos()):f.pos.Offset(e.End())])
	if strings.ContainsAny(src, "\n\r/") {
		return oneLine(src)
	}
	return src
}
