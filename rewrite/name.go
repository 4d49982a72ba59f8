package rewrite

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// spell is the source text of t where the current file says it at pos, if it can be said.
func (f *finder) spell(t types.Type, pos token.Pos) (string, bool) {
	w := speller{f: f, scope: f.top().scope, pos: pos, ok: true}
	w.typ(t)
	return w.String(), w.ok
}

type speller struct {
	strings.Builder
	f     *finder
	scope *types.Scope
	pos   token.Pos
	ok    bool
}

func (w *speller) typ(t types.Type) {
	if !w.ok {
		return
	}
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			w.object(types.Unsafe.Scope().Lookup("Pointer"))
		} else {
			w.object(types.Universe.Lookup(t.Name()))
		}
	case *types.Named:
		w.object(t.Obj())
		w.args(t.TypeArgs())
	case *types.Alias:
		w.object(t.Obj())
		w.args(t.TypeArgs())
	case *types.TypeParam:
		w.object(t.Obj())
	case *types.Pointer:
		w.WriteString("*")
		w.typ(t.Elem())
	case *types.Slice:
		w.WriteString("[]")
		w.typ(t.Elem())
	case *types.Array:
		w.WriteString("[" + strconv.FormatInt(t.Len(), 10) + "]")
		w.typ(t.Elem())
	case *types.Map:
		w.WriteString("map[")
		w.typ(t.Key())
		w.WriteString("]")
		w.typ(t.Elem())
	case *types.Chan:
		w.WriteString([...]string{types.SendRecv: "chan (", types.SendOnly: "chan<- (", types.RecvOnly: "<-chan ("}[t.Dir()])
		w.typ(t.Elem())
		w.WriteString(")")
	case *types.Signature:
		w.WriteString("func")
		w.signature(t)
	case *types.Struct:
		w.structure(t)
	case *types.Interface:
		w.iface(t)
	default:
		w.ok = false
	}
}

func (w *speller) args(list *types.TypeList) {
	for i := range list.Len() {
		w.WriteString([2]string{"[", ", "}[min(i, 1)])
		w.typ(list.At(i))
	}
	if list.Len() > 0 {
		w.WriteString("]")
	}
}

// object writes the name of a type, qualified if need be.
func (w *speller) object(obj types.Object) {
	if obj == nil {
		w.ok = false
		return
	}
	if _, found := w.lookup(obj.Name()); found == obj {
		w.WriteString(obj.Name())
		return
	}
	if obj.Pkg() == nil || obj.Pkg() == w.f.p.Types || !obj.Exported() || obj.Parent() != obj.Pkg().Scope() {
		w.ok = false
		return
	}
	for _, imp := range w.f.p.Files[w.f.file].AST.Imports {
		name, _ := w.f.imported(imp)
		if name == nil || name.Imported() != obj.Pkg() {
			continue
		}
		if _, found := w.lookup(name.Name()); found == name {
			w.WriteString(name.Name() + "." + obj.Name())
			return
		}
	}
	w.ok = false
}

func (w *speller) lookup(name string) (*types.Scope, types.Object) {
	if w.scope == nil {
		return nil, nil
	}
	return w.scope.LookupParent(name, w.pos)
}

// imported is the object of an import with a name other than _ and dot.
func (f *finder) imported(imp *ast.ImportSpec) (*types.PkgName, bool) {
	if imp.Name != nil {
		name, ok := f.p.Info.Defs[imp.Name].(*types.PkgName)
		return name, ok
	}
	name, ok := f.p.Info.Implicits[imp].(*types.PkgName)
	return name, ok
}

func (w *speller) signature(t *types.Signature) {
	w.WriteString("(")
	for i := range t.Params().Len() {
		if i > 0 {
			w.WriteString(", ")
		}
		p := t.Params().At(i).Type()
		if t.Variadic() && i == t.Params().Len()-1 {
			s, ok := p.(*types.Slice)
			if !ok {
				w.ok = false
				return
			}
			w.WriteString("...")
			p = s.Elem()
		}
		w.typ(p)
	}
	w.WriteString(")")
	if t.Results().Len() == 0 {
		return
	}
	w.WriteString(" (")
	for i := range t.Results().Len() {
		if i > 0 {
			w.WriteString(", ")
		}
		w.typ(t.Results().At(i).Type())
	}
	w.WriteString(")")
}

func (w *speller) structure(t *types.Struct) {
	w.WriteString("struct{")
	for i := range t.NumFields() {
		field := t.Field(i)
		if !field.Exported() && field.Pkg() != w.f.p.Types {
			w.ok = false
			return
		}
		if i > 0 {
			w.WriteString("; ")
		}
		if !field.Embedded() {
			w.WriteString(field.Name() + " ")
		}
		w.typ(field.Type())
		if tag := t.Tag(i); tag != "" {
			w.WriteString(" " + strconv.Quote(tag))
		}
	}
	w.WriteString("}")
}

func (w *speller) iface(t *types.Interface) {
	if t.NumEmbeddeds() > 0 {
		for e := range t.EmbeddedTypes() {
			if _, ok := e.(*types.Union); ok {
				w.ok = false // a constraint; never the type of a value
				return
			}
		}
	}
	w.WriteString("interface{")
	for i := range t.NumExplicitMethods() {
		m := t.ExplicitMethod(i)
		if !m.Exported() && m.Pkg() != w.f.p.Types {
			w.ok = false
			return
		}
		w.WriteString(m.Name())
		w.signature(m.Type().(*types.Signature))
		w.WriteString("; ")
	}
	for i := range t.NumEmbeddeds() {
		w.typ(t.EmbeddedType(i))
		w.WriteString("; ")
	}
	w.WriteString("}")
}

// oneLine is a piece of source without its comments and line breaks.
func oneLine(src string) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(src)), []byte(src), nil, 0)
	var b strings.Builder
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return strings.TrimSuffix(strings.TrimSpace(b.String()), ";")
		case tok == token.SEMICOLON, lit == "":
			b.WriteString(tok.String())
		default:
			b.WriteString(lit)
		}
		b.WriteByte(' ')
	}
}

// aliasName is how the names start that the original source does not have.
const aliasName = "filip__"

// names are the names that a rewritten package gets in addition to its own.
type names struct {
	alias string // of our package runtime
	table string // of the site table
}

func (f *finder) names() names {
	table := aliasName + "table"
	if path := f.p.Types.Path(); path == fipsPath || strings.HasPrefix(path, fipsPath+"/") {
		table = "dict_" + table
	}
	return names{alias: unused(aliasName, f.named), table: unused(table, f.named)}
}

// fipsPath is that of the packages whose code and data are checked against a hash when a program
// starts in FIPS 140-3 mode. A variable that changes must not be among that data; dictionaries
// are not, and a symbol is one if its name says so (cmd/internal/obj/fips140.go).
const fipsPath = "crypto/internal/fips140"

// unused returns name, extended until it is none of the identifiers in used.
func unused(name string, used map[string]bool) string {
	for used[name] {
		name += "_"
	}
	return name
}
