package profile

import (
	"path"
	"strconv"
	"strings"

	"github.com/filip-go/filip/format"
)

// nameFunctions gives the functions of all sites of a package the same qualifier. Rewritten sites
// have the package's name. The others, which have no column, have the last element of its path,
// because the program does not know more; if there is no rewritten site beside them, the name is
// guessed.
func nameFunctions(sites []format.Site) {
	names := make(map[string]string)
	for i := range sites {
		if s := &sites[i]; s.Column != 0 {
			names[s.Package], _, _ = strings.Cut(s.Function, ".")
		}
	}
	for i := range sites {
		s := &sites[i]
		last, function, ok := strings.Cut(s.Function, ".")
		if s.Column != 0 || !ok || last == "main" {
			continue
		}
		name, known := names[s.Package]
		if !known {
			name = packageName(s.Package)
		}
		s.Function = name + "." + function
	}
}

// packageName is what a package is probably called: by the last element of its path, without the major
// version that stands behind it or is that element.
func packageName(importPath string) string {
	name := path.Base(importPath)
	if IsMajor(name) && name != importPath {
		name = path.Base(path.Dir(importPath))
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && IsMajor(name[i+1:]) {
		name = name[:i] // gopkg.in/yaml.v3
	}
	return name
}

// IsMajor reports whether an element of an import path is a major version: v and a number.
func IsMajor(s string) bool {
	digits, ok := strings.CutPrefix(s, "v")
	_, err := strconv.ParseUint(digits, 10, 16)
	return ok && err == nil
}
