package toolexec

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/filip-go/filip/rewrite"
)

const genericsLang = "go1.18"

func olderThanGenerics(lang string) bool {
	return lang != "" && version.Compare(lang, genericsLang) < 0
}

// load parses and type-checks a package as the compiler would, with the export data of its
// imports. The error only says that it does not type-check.
func load(a arguments, cfg *importcfg, pkg, importPath string) (*rewrite.Package, error) {
	p := &rewrite.Package{Fset: token.NewFileSet(), Path: importPath}
	if rewrites := a.get("trimpath"); rewrites != "" {
		p.TrimPath = func(name string) string { return trimPath(name, rewrites) }
	}
	var files []*ast.File
	for _, name := range a.files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if abs, err := filepath.Abs(name); err == nil {
			name = abs
		}
		f, err := parser.ParseFile(p.Fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		p.Files = append(p.Files, rewrite.File{Name: name, Src: src, AST: f})
	}
	lang := a.get("lang")
	if olderThanGenerics(lang) {
		lang = genericsLang
	}
	_, goarch := target()
	conf := types.Config{
		GoVersion: lang,
		Importer:  newImporter(p.Fset, cfg),
		Sizes:     types.SizesFor("gc", goarch),
		Error:     func(error) {},
	}
	p.Sizes = conf.Sizes
	p.Info = &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:       make(map[ast.Node]*types.Scope),
		FileVersions: make(map[*ast.File]string),
	}
	var err error
	p.Types, err = conf.Check(pkg, p.Fset, files, p.Info)
	for i, f := range files {
		v := p.Info.FileVersions[f]
		p.Files[i].NoDirectives = directivesHideVersion(a.get("goversion")) && v != "" && version.Compare(v, "go1.22") < 0
	}
	return p, err
}

// directivesHideVersion: see rewrite.File.NoDirectives.
func directivesHideVersion(goversion string) bool { return version.Lang(goversion) == "go1.25" }

// exportImporter imports packages from the archives of an importcfg.
type exportImporter struct {
	fset     *token.FileSet
	cfg      *importcfg
	packages map[string]*types.Package
}

func newImporter(fset *token.FileSet, cfg *importcfg) types.Importer {
	return &exportImporter{fset, cfg, map[string]*types.Package{"unsafe": types.Unsafe}}
}

func (imp *exportImporter) Import(path string) (*types.Package, error) {
	if to, ok := imp.cfg.renamed[path]; ok {
		path = to
	}
	if p := imp.packages[path]; p != nil && p.Complete() {
		return p, nil
	}
	archive, ok := imp.cfg.archives[path]
	if !ok {
		return nil, fmt.Errorf("no archive of %s", path)
	}
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("export data of %s", path), err)
	}
	p, err := gcexportdata.Read(io.Reader(r), imp.fset, imp.packages, path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("export data of %s", path), err)
	}
	return p, nil
}

// trimPath applies the compiler's -trimpath to a file name: "from=>to" or "from",
// separated by semicolons, of which the first that is a directory above the file counts
// (cmd/internal/objabi.ApplyRewrites).
func trimPath(name, rewrites string) string {
	for rewrite := range strings.SplitSeq(rewrites, ";") {
		from, to := rewrite, ""
		if i := strings.LastIndex(rewrite, "=>"); i >= 0 {
			from, to = rewrite[:i], rewrite[i+len("=>"):]
		}
		rest, ok := strings.CutPrefix(name, from)
		switch {
		case from == "" || !ok:
		case rest == "":
			return to
		case !os.IsPathSeparator(rest[0]):
		case to == "":
			return rest[1:]
		default:
			return to + rest
		}
	}
	return name
}
