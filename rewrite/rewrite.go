// Package rewrite finds the allocation sites of a type-checked package and wraps each in
// a call of a helper of package runtime.
package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/filip-go/filip/format"
)

// RuntimePath is the import path under which the wrapper compiles our package runtime for
// instrumented programs. No module can have it (module paths have no +), so it meets
// neither a user's package nor this module itself, when that is instrumented.
const RuntimePath = "github.com/filip-go/filip+inst/runtime"

// A Package is what Find and Rewrite work on: one package as the compiler gets it.
type Package struct {
	Fset  *token.FileSet
	Files []File
	Types *types.Package
	Info  *types.Info // Types, Defs, Uses, Selections, Instances, Scopes, Implicits
	Path  string      // import path for reports; for a command not "main" but its path
	Sizes types.Sizes

	// TrimPath is what the compiler's -trimpath makes of a file name, which the site table
	// must say too. Nil: nothing.
	TrimPath func(name string) string

	// Leave reports whether sites of a kind are to be left alone. Nil: none.
	Leave func(kind format.Kind) bool
}

// A File is one source file of a package.
type File struct {
	Name string // as given to the compiler
	Src  []byte
	AST  *ast.File // of Src, with comments

	// NoDirectives: insert no line directives; the caller gives the file its name and
	// columns behind insertions are off. To Go 1.25's compiler the language version of what
	// follows a directive is unknown, and it takes loop variables for those of Go 1.22.
	NoDirectives bool
}

// A Found is an allocation site, or one that is left alone.
type Found struct {
	Pos  token.Position // //line directives applied
	Site format.Site    // Type and Bytes: static ones
	Skip string         // why it is left alone; empty: it is instrumented
}

// A Result is a package with its sites wrapped.
type Result struct {
	Files map[int][]byte // index of the File → its new content; only those that changed
	Table []byte         // source of one more file of the package, the site table; nil without sites
	Found []Found        // as by Find
}

// Find returns the allocation sites of p and those left alone, file by file in the order of
// their positions.
func Find(p *Package) []Found { return find(p).found }

// Rewrite wraps the sites of p. Only text is inserted, so every token stays on its line, and
// /*line*/ directives after each insertion give the tokens behind it their columns back.
// An error is a bug: p and its sources do not fit together.
func Rewrite(p *Package) (*Result, error) {
	f := find(p)
	res := &Result{Files: make(map[int][]byte), Found: f.found}
	files, t, err := f.edits()
	if err != nil {
		return nil, err
	}
	for i, b := range files {
		res.Files[i] = f.finish(b, i)
	}
	if t.n > 0 {
		names := f.names()
		res.Table = t.source(p.Types.Name(), names.alias, names.table)
	}
	return res, nil
}
