package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
)

// uncallable are the pragmas of functions in which a call may not be added: they run where
// the stack cannot grow, or where a write barrier is or is not allowed.
var uncallable = map[string]bool{
	"nosplit":            true,
	"systemstack":        true,
	"nowritebarrier":     true,
	"nowritebarrierrec":  true,
	"yeswritebarrierrec": true,
}

// pragmas finds the pragmas of a file's functions. The compiler takes for a function's all
// that stand between the end of the declaration before it and its name, doc comment or not.
type pragmas struct {
	comments []*ast.CommentGroup // those not yet passed
}

// Of returns the first uncallable pragma of the function named at pos, empty if there is
// none. The functions must be asked for in source order; prev is the end of the declaration
// before this one.
func (p *pragmas) Of(prev, pos token.Pos) string {
	found := ""
	for ; len(p.comments) > 0 && p.comments[0].Pos() < pos; p.comments = p.comments[1:] {
		for _, c := range p.comments[0].List {
			verb, ok := strings.CutPrefix(c.Text, "//go:")
			if !ok || c.Pos() < prev || c.Pos() > pos {
				continue
			}
			if verb, _, _ = strings.Cut(verb, " "); found == "" && uncallable[strings.TrimSpace(verb)] {
				found = strings.TrimSpace(verb)
			}
		}
	}
	return found
}
