package toolexec

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// runtimeDepends reports whether pkg is a package that the standard library's runtime is
// built on. What our helpers need may not be there yet when such a package runs, and
// the runtime may call it where nothing can be allocated.
func runtimeDepends(compileTool, pkg string) bool {
	deps, err := RuntimeClosure(filepath.Join(gorootOf(compileTool), "src"))
	if err != nil {
		// Without the sources of the standard library nobody compiles it.
		return strings.HasPrefix(pkg, "runtime") || strings.HasPrefix(pkg, "internal/")
	}
	return deps[pkg]
}

// RuntimeClosure is the set of packages that runtime imports, directly or not, on any
// platform, and runtime itself: read from the standard library's sources in src. Each compile
// of a standard package asks for it, so it is cached.
func RuntimeClosure(src string) (map[string]bool, error) {
	cached := ""
	if v, err := os.ReadFile(filepath.Join(filepath.Dir(src), "VERSION")); err == nil {
		if dir, err := cacheDir(); err == nil {
			cached = filepath.Join(dir, fmt.Sprintf("runtime-%x.json", sha256.Sum256([]byte(src+"\n"+string(v))))[:40])
		}
	}
	if cached != "" {
		if data, err := os.ReadFile(cached); err == nil {
			var set map[string]bool
			if json.Unmarshal(data, &set) == nil {
				return set, nil
			}
		}
	}
	set := map[string]bool{"runtime": true}
	for todo := []string{"runtime"}; len(todo) > 0; {
		pkg := todo[0]
		todo = todo[1:]
		files, err := filepath.Glob(filepath.Join(src, filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("no sources of %s in %s", pkg, src)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				return nil, err
			}
			if f.Name.Name == "main" {
				continue // a generator
			}
			for _, spec := range f.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err == nil && path != "unsafe" && path != "C" && !set[path] {
					set[path] = true
					todo = append(todo, path)
				}
			}
		}
	}
	if data, err := json.Marshal(set); err == nil && cached != "" {
		writeAtomically(cached, data) // best effort: without it the next compile finds out again
	}
	return set, nil
}
