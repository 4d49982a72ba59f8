// Package filter decides which packages are instrumented. It imports nothing, because it is compiled into
// every instrumented program: what the runtime allocates for a package is known there only.
package filter

// Includes reports whether FILIP_PACKAGES, the setting, has the package instrumented:
// comma-separated import-path patterns as in go list (with "..." and the names all and
// std), each of which may start with ! to leave packages out. Without a pattern that is
// not negated, all packages are meant. An external test package goes with the package it tests.
func Includes(setting, importPath string, std bool) bool {
	if n := len(importPath) - len("_test"); n > 0 && importPath[n:] == "_test" {
		importPath = importPath[:n]
	}
	included, positive := false, false
	for len(setting) > 0 {
		pattern := setting
		setting = ""
		for i := range len(pattern) {
			if pattern[i] == ',' {
				pattern, setting = pattern[:i], pattern[i+1:]
				break
			}
		}
		pattern = trim(pattern)
		if pattern == "" {
			continue
		}
		negated := pattern[0] == '!'
		if negated {
			pattern = pattern[1:]
		}
		matches := match(pattern, importPath, std)
		if negated && matches {
			return false
		}
		if !negated {
			positive = true
			included = included || matches
		}
	}
	return included || !positive
}

func trim(s string) string {
	space := func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
	for len(s) > 0 && space(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && space(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

const wildcard = "..."

// match matches one pattern; see go help packages.
func match(pattern, importPath string, std bool) bool {
	switch pattern {
	case "all":
		return true
	case "std":
		return std
	}
	const below = "/" + wildcard // x/... matches x too
	if n := len(pattern) - len(below); n >= 0 && pattern[n:] == below && glob(pattern[:n], importPath) {
		return true
	}
	return glob(pattern, importPath)
}

// glob matches a pattern in which wildcards stand for any text.
func glob(pattern, s string) bool {
	for len(pattern) > 0 {
		if len(pattern) >= len(wildcard) && pattern[:len(wildcard)] == wildcard {
			pattern = pattern[len(wildcard):]
			for i := range len(s) + 1 {
				if glob(pattern, s[i:]) {
					return true
				}
			}
			return false
		}
		if len(s) == 0 || s[0] != pattern[0] {
			return false
		}
		pattern, s = pattern[1:], s[1:]
	}
	return len(s) == 0
}
