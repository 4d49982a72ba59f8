package report

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
)

// shortType is a type with packages by their names instead of their paths:
// map[string]*example.com/a/b.T becomes map[string]*b.T.
func shortType(t string) string {
	var b strings.Builder
	for i := 0; i < len(t); {
		if c := t[i]; c == '"' || c == '`' { // the tag of a struct field
			n := quoted(t[i:])
			b.WriteString(t[i : i+n])
			i += n
			continue
		}
		n := pathLength(t[i:])
		if n == 0 {
			b.WriteByte(t[i])
			i++
			continue
		}
		b.WriteString(lastElement(t[i : i+n]))
		i += n
	}
	return b.String()
}

// quoted is the length of the string literal that t starts with.
func quoted(t string) int {
	for i := 1; i < len(t); i++ {
		switch {
		case t[i] == '\\' && t[0] == '"':
			i++
		case t[i] == t[0]:
			return i + 1
		}
	}
	return len(t)
}

// pathLength is the length of the identifier, qualified by a package path or not, that t
// starts with.
func pathLength(t string) int {
	n := 0
	for i, r := range t {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || r == '·':
		case i > 0 && strings.ContainsRune("./-~%+", r):
		default:
			return n
		}
		n = i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			return i
		}
	}
	return n
}

// lastElement is the identifier id qualified by the last element of its package path, or the one
// before where the last is a major version.
func lastElement(id string) string {
	last := id[strings.LastIndexByte(id, '/')+1:]
	if len(last) == len(id) {
		return id
	}
	name, rest, ok := strings.Cut(last, ".")
	if ok && profile.IsMajor(name) {
		return path.Base(path.Dir(id[:len(id)-len(rest)-1])) + "." + rest
	}
	return strings.ReplaceAll(last, "%2e", ".")
}

// shortFile is the last two elements of a path with either kind of separator.
func shortFile(file string) string {
	i := strings.LastIndexAny(file, `/\`)
	if i < 0 {
		return file
	}
	return file[strings.LastIndexAny(file[:i], `/\`)+1:]
}

// fullFunction is the function with its package path: example.com/a/b.(*T).Run.
func fullFunction(s *format.Site) string {
	name, function, ok := strings.Cut(s.Function, ".")
	if !ok || name == "main" || s.Package == "" {
		return s.Function
	}
	return s.Package + "." + function
}

// where is file:line, as short as shortFile makes it.
func where(s *format.Site) string {
	if s.File == "" {
		return ""
	}
	return shortFile(s.File) + ":" + strconv.Itoa(s.Line)
}

// fit cuts s, from which control characters were removed, to at most n runes: in the middle,
// because the ends of types, paths and functions tell most.
func fit(s string, n int) string {
	r := []rune(clean(s))
	if len(r) <= n {
		return string(r)
	}
	if n <= 1 {
		return string(r[:max(n, 0)])
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}

// clean is s with everything that could disturb a terminal replaced: names come from a file.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}
