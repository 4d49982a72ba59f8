package toolexec

import (
	"go/ast"
	"go/token"
	"go/version"
	"os"
	"path/filepath"
	"slices"

	"github.com/filip-go/filip/format"
)

// Runtime edits put calls into the functions of package runtime that allocate for expressions
// which are not rewritten: growing slices, strings, boxes, maps, and reflect. They are
// within lines, so positions stay; and a frame of the function itself is all that a stack shows.
// An edit that does not fit is left out, with the kind of allocation that it stands for.

type runtimeEdit struct {
	kind  format.Kind
	since string // the first version of Go that has the function, if not all
	sourceEdit
}

var runtimeEdits = slices.Concat(
	beforeCopy(format.KindAppend, "growslice", "filip_grown(p, capmem, et); "),
	beforeCopy(format.KindMake, "makeslicecopy", "filip_copied(to, tomem, et); "),
	renamed(format.KindMake, "slice.go", "filip_make_", "mallocgc", "makeslice"),
	[]runtimeEdit{{format.KindMake, "", sourceEdit{file: "chan.go", function: "makechan", text: "filip_buffer_",
		where: each(func(n ast.Node) token.Pos {
			if as, ok := n.(*ast.AssignStmt); ok && len(as.Rhs) == 1 && isSelector(as.Lhs[0], "c", "buf") && isCall(as.Rhs[0], "mallocgc") {
				return as.Rhs[0].Pos()
			}
			return token.NoPos
		})}}},
	since("go1.26", renamed(format.KindAppend, "slice.go", "filip_append_", "mallocgc", "moveSlice", "moveSliceNoScan", "moveSliceNoCap", "moveSliceNoCapNoScan")),
	renamed(format.KindString, "slice.go", "filip_bytes_", "mallocgc", "bytealg_MakeNoZero"),
	renamed(format.KindString, "string.go", "filip_string_", "mallocgc", "slicebytetostring", "rawstring"),
	renamed(format.KindString, "string.go", "filip_bytes_", "mallocgc", "rawbyteslice"),
	renamed(format.KindString, "string.go", "filip_runes_", "mallocgc", "rawruneslice"),
	renamed(format.KindBox, "iface.go", "filip_box_", "mallocgc", "convT", "convTnoptr", "convT16", "convT32", "convT64", "convTstring", "convTslice"),
	renamed(format.KindMap, "malloc.go", "filip_map_", "newobject", "maps_newobject"),
	renamed(format.KindMap, "malloc.go", "filip_map_", "newarray", "maps_newarray"),
	renamed(format.KindReflect, "malloc.go", "filip_reflect_", "mallocgc", "reflect_unsafe_New", "reflectlite_unsafe_New"),
	renamed(format.KindReflect, "malloc.go", "filip_reflect_", "newarray", "reflect_unsafe_NewArray"),
	reflectMap("map.go"),
	reflectMap("map_swiss.go"), // Go 1.25
	renamed(format.KindReflect, "chan.go", "filip_reflect_", "makechan", "reflect_makechan"),
)

// renamed are edits that have functions call another one, whose name has a prefix.
func renamed(kind format.Kind, file, prefix, callee string, functions ...string) (edits []runtimeEdit) {
	for _, function := range functions {
		edits = append(edits, runtimeEdit{kind, "", sourceEdit{file: file, function: function, text: prefix, where: each(func(n ast.Node) token.Pos {
			if c, ok := n.(*ast.CallExpr); ok && isCall(c, callee) {
				return c.Pos()
			}
			return token.NoPos
		})}})
	}
	return edits
}

// beforeCopy is an edit that inserts text where a function copies what the old slice has.
func beforeCopy(kind format.Kind, function, text string) []runtimeEdit {
	return []runtimeEdit{{kind, "", sourceEdit{file: "slice.go", function: function, text: text,
		where: topLevel(func(s ast.Stmt) token.Pos {
			if x, ok := s.(*ast.ExprStmt); ok && isCall(x.X, "memmove") {
				return x.Pos()
			}
			return token.NoPos
		})}}}
}

func since(version string, edits []runtimeEdit) []runtimeEdit {
	for i := range edits {
		edits[i].since = version
	}
	return edits
}

// reflectMap is the edit of what reflect.MakeMap calls.
func reflectMap(file string) []runtimeEdit {
	call := func(place func(ast.Node) token.Pos) func(*ast.FuncDecl) []token.Pos {
		return each(func(n ast.Node) token.Pos {
			if c, ok := n.(*ast.CallExpr); ok && isCall(c, "makemap") {
				return place(c)
			}
			return token.NoPos
		})
	}
	return []runtimeEdit{{format.KindReflect, "", sourceEdit{
		file: file, function: "reflect_makemap",
		text: "filip_reflect_map(unsafe.Pointer(t), ", where: call(ast.Node.Pos), behind: ")", until: call(ast.Node.End),
	}}}
}

func isCall(e ast.Expr, name string) bool {
	c, ok := e.(*ast.CallExpr)
	return ok && isIdent(c.Fun, name)
}

// editRuntime writes edited copies of package runtime's files to dir and has them compiled. It
// returns why an edit did not fit.
func editRuntime(a *arguments, dir, goversion string, k kinds) (unfit, err error) {
	for i, name := range a.files {
		var src []byte
		for _, e := range runtimeEdits {
			if e.file != filepath.Base(name) || !k.has(e.kind) || e.since != "" && version.Compare(goversion, e.since) < 0 {
				continue
			}
			if src == nil {
				if src, err = os.ReadFile(name); err != nil {
					return unfit, err
				}
			}
			if out, err := e.apply(src); err == nil {
				src = out
			} else {
				unfit = err
			}
		}
		if src == nil {
			continue
		}
		to := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(to, src, 0o666); err != nil {
			return unfit, err
		}
		a.replace(i, to)
	}
	return unfit, nil
}
