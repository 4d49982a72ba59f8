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
	beforeCopy(format.KindAppend, "growslice", "filip_allocated(filip_kindAppend, filip_spellSlice, p, capmem, et); "),
	beforeCopy(format.KindMake, "makeslicecopy", "filip_allocated(filip_kindMake, filip_spellSlice, to, tomem, et); "),
	mallocs(format.KindMake, "slice.go", "filip_kindMake, filip_spellSlice", "makeslice"),
	mallocs(format.KindMake, "chan.go", "filip_kindMake, filip_spellBuffer", "makechan"),
	since("go1.26", mallocs(format.KindAppend, "slice.go", "filip_kindAppend, filip_spellSlice", "moveSlice", "moveSliceNoCap")),
	since("go1.26", mallocs(format.KindAppend, "slice.go", "filip_kindAppend, filip_spellSome", "moveSliceNoScan", "moveSliceNoCapNoScan")),
	mallocs(format.KindString, "slice.go", "filip_kindString, filip_spellBytes", "bytealg_MakeNoZero"),
	mallocs(format.KindString, "string.go", "filip_kindString, filip_spellString", "slicebytetostring", "rawstring"),
	mallocs(format.KindString, "string.go", "filip_kindString, filip_spellBytes", "rawbyteslice"),
	mallocs(format.KindString, "string.go", "filip_kindString, filip_spellRunes", "rawruneslice"),
	mallocs(format.KindBox, "iface.go", "filip_kindBox, filip_spellType", "convT", "convTnoptr", "convT16", "convT32", "convT64", "convTstring", "convTslice"),
	objects(format.KindMap, "filip_kindMap, filip_spellType", "maps_newobject"),
	arrays(format.KindMap, "filip_kindMap, filip_spellGroup", "maps_newarray"),
	mallocs(format.KindReflect, "malloc.go", "filip_kindReflect, filip_spellType", "reflect_unsafe_New", "reflectlite_unsafe_New"),
	arrays(format.KindReflect, "filip_kindReflect, filip_spellSlice", "reflect_unsafe_NewArray"),
	calls(format.KindReflect, "map.go", "makemap", "filip_reflect_map(unsafe.Pointer(t), ", noTail, "reflect_makemap"),
	calls(format.KindReflect, "map_swiss.go", "makemap", "filip_reflect_map(unsafe.Pointer(t), ", noTail, "reflect_makemap"), // Go 1.25
	calls(format.KindReflect, "chan.go", "makechan", "filip_reflect_chan(t, ", noTail, "reflect_makechan"),
)

// calls are edits that pass the result of the one call of callee in each function to one of ours: text
// and tail stand around it. (A function that calls callee itself would be one more frame in the
// program's own profiles.)
func calls(kind format.Kind, file, callee, text string, tail func(args []string) string, functions ...string) (edits []runtimeEdit) {
	call := func(place func(ast.Node) token.Pos) func(*ast.FuncDecl) []token.Pos {
		return each(func(n ast.Node) token.Pos {
			// In makechan the one that counts is that of the buffer.
			if as, ok := n.(*ast.AssignStmt); ok && len(as.Rhs) == 1 && callee == "mallocgc" && isSelector(as.Lhs[0], "c", "buf") && isCall(as.Rhs[0], callee) {
				return place(as.Rhs[0])
			}
			if c, ok := n.(*ast.CallExpr); ok && isCall(c, callee) && !slices.Contains(functions, "makechan") {
				return place(c)
			}
			return token.NoPos
		})
	}
	for _, function := range functions {
		edits = append(edits, runtimeEdit{kind, "", sourceEdit{
			file: file, function: function, text: text, where: call(ast.Node.Pos), until: call(ast.Node.End), tail: tail,
		}})
	}
	return edits
}

func noTail([]string) string { return ")" }

// mallocs are edits of calls of mallocgc, whose arguments are size, type, and whether to zero.
func mallocs(kind format.Kind, file, what string, functions ...string) []runtimeEdit {
	return calls(kind, file, "mallocgc", "filip_allocated("+what+", ", func(args []string) string {
		return ", " + args[0] + ", " + args[1] + ")"
	}, functions...)
}

// objects are edits of calls of newobject, whose argument is the type.
func objects(kind format.Kind, what string, functions ...string) []runtimeEdit {
	return calls(kind, "malloc.go", "newobject", "filip_allocated("+what+", ", func(args []string) string {
		return ", " + args[0] + ".Size_, " + args[0] + ")"
	}, functions...)
}

// arrays are edits of calls of newarray, whose arguments are the type and how many.
func arrays(kind format.Kind, what string, functions ...string) []runtimeEdit {
	return calls(kind, "malloc.go", "newarray", "filip_allocated("+what+", ", func(args []string) string {
		return ", " + args[0] + ".Size_*uintptr(" + args[1] + "), " + args[0] + ")"
	}, functions...)
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
