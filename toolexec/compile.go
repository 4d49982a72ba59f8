package toolexec

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	filip "github.com/filip-go/filip"
	"github.com/filip-go/filip/filter"
	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/rewrite"
)

// compile compiles a package from rewritten sources. Whatever cannot be rewritten is
// compiled as it is.
func compile(tool string, args []string) error {
	a := splitCompile(args)
	pkg, out := a.get("p"), a.get("o")
	tc := newToolchain(tool, a.get("goversion"), a.flags)
	if len(a.files) == 0 || pkg == "" || out == "" || !tc.known() {
		return replaceProcess(tool, args)
	}
	compiler, _, err := compilerFor(tool)
	if err != nil {
		return err
	}
	kinds, err := settingKinds()
	if err != nil {
		return err
	}
	if compiler == tool {
		kinds &^= neutralKinds
	}
	os.Unsetenv(allocationsEnv)
	tc.compile = compiler
	switch {
	case pkg == "runtime":
		return compileRuntime(tc, a, out, kinds)
	case a.has("std") && runtimeDepends(tool, pkg):
		if pkg == "internal/runtime/maps" && tc.cycles() && kinds.has(format.KindMap) {
			os.Setenv(allocationsEnv, "table")
		}
		return replaceProcess(compiler, args)
	}
	c := &compilation{tc: tc, args: a, dir: filepath.Join(filepath.Dir(out), "filip"), importPath: importPath(pkg), kinds: kinds}
	if err := c.prepare(pkg); err != nil {
		return err
	}
	if !c.changed && c.unfit == nil && !a.diagnoses() {
		return replaceProcess(compiler, args)
	}
	if err := c.run(); err != nil {
		return err
	}
	if linked(a, pkg) {
		return appendLinkMember(out, tc)
	}
	return nil
}

// linked reports whether a program or a plugin is linked from the package. A plugin's -p is
// its import path, and its package clause tells; nothing else in its build is called main.
func linked(a arguments, pkg string) bool {
	if pkg == "main" || !a.has("dynlink") {
		return pkg == "main"
	}
	f, err := parser.ParseFile(token.NewFileSet(), a.files[0], nil, parser.PackageClauseOnly)
	return err == nil && f.Name.Name == "main"
}

// A compilation is one package on its way through the compiler.
type compilation struct {
	tc         toolchain
	args       arguments  // to compile with
	fallback   *arguments // to compile with should the compiler reject rewritten sources
	dir        string     // for the files we write, within cmd/go's directory of the action
	importPath string
	kinds      kinds
	changed    bool
	unfit      error // why the sources were not rewritten: to us they do not type-check
}

// prepare rewrites the sources and adds what they need.
func (c *compilation) prepare(pkg string) error {
	cfgName := c.args.get("importcfg")
	if cfgName == "" {
		return nil
	}
	cfg, err := readImportcfg(cfgName)
	if err != nil {
		return err
	}
	var p *rewrite.Package
	var result *rewrite.Result
	if filter.Includes(os.Getenv("FILIP_PACKAGES"), c.importPath, c.args.has("std")) {
		if c.tc.cycles() {
			os.Setenv(allocationsEnv, c.kinds.neutral())
		}
		if p, c.unfit = load(c.args, cfg, pkg, c.importPath); c.unfit == nil {
			p.Leave = func(kind format.Kind) bool { return !c.kinds.has(kind) }
			if result, err = rewrite.Rewrite(p); err != nil {
				return fmt.Errorf("rewrite %s: %w", c.importPath, err)
			}
		}
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	if result != nil && len(result.Files) > 0 {
		if err := c.use(p, result); err != nil {
			return err
		}
		archive, err := c.tc.runtimeArchive()
		if err != nil {
			return err
		}
		cfg.add(rewrite.RuntimePath, archive)
	}
	if linked(c.args, pkg) {
		archives, err := c.tc.archives(cfg.archives["runtime"])
		if err != nil {
			return err
		}
		const collect = injectedPath + "runtime/collect"
		if err := c.addFile("filip_main.go", fmt.Appendf(nil, mainFile, collect, c.importPath)); err != nil {
			return err
		}
		cfg.add(collect, archives[collect])
	}
	if !c.changed {
		return nil
	}
	name := filepath.Join(c.dir, "importcfg")
	c.args.set("importcfg", name)
	if c.fallback != nil {
		c.fallback.set("importcfg", name)
	}
	return cfg.write(name)
}

// mainFile is added to package main: it links our packages, and tells them the package's import path, which
// the names of its functions do not have.
const mainFile = `package main

import (
	_ "unsafe"

	_ %q
)

//go:linkname filip_mainPath filip.mainPath
var filip_mainPath = %q
`

// use has the rewritten files compiled in place of the originals.
func (c *compilation) use(p *rewrite.Package, r *rewrite.Result) error {
	c.fallback = &arguments{slices.Clone(c.args.flags), slices.Clone(c.args.files)}
	for i, content := range r.Files {
		name := filepath.Join(c.dir, fmt.Sprintf("%d_%s", i, filepath.Base(c.args.files[i])))
		if err := os.WriteFile(name, content, 0o666); err != nil {
			return err
		}
		if p.Files[i].NoDirectives {
			c.args.replace(i, name)
		} else {
			c.args.files[i] = name
		}
	}
	c.changed = true
	raiseLang(&c.args)
	if r.Table == nil {
		return nil
	}
	// The table comes first: package-level variables are initialised in the order in which
	// they are declared, and those whose initialisers have sites depend on it.
	name := filepath.Join(c.dir, "filip_sites.go")
	c.args.files = slices.Insert(c.args.files, 0, name)
	return os.WriteFile(name, r.Table, 0o666)
}

// addFile adds a file of ours, whether or not the others are compiled as rewritten.
func (c *compilation) addFile(name string, content []byte) error {
	name = filepath.Join(c.dir, name)
	c.args.files = append(c.args.files, name)
	if c.fallback != nil {
		c.fallback.files = append(c.fallback.files, name)
	}
	c.changed = true
	return os.WriteFile(name, content, 0o666)
}

// raiseLang raises the language version of old modules to the first with generics, which
// the helpers are. No further: later versions change what existing code means.
func raiseLang(a *arguments) {
	if olderThanGenerics(a.get("lang")) {
		a.set("lang", genericsLang)
	}
}

// run compiles. Rewritten sources that the compiler rejects are our fault, or else it
// rejects the original ones too: they are compiled instead, so that nobody's build fails
// because of us, and the user sees the compiler's own words. What is thereby not instrumented
// is said; FILIP_STRICT makes it an error.
func (c *compilation) run() error {
	// While the compiler runs there is no need for what we have read. Mostly that is little.
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.Sys > 100<<20 {
		debug.FreeOSMemory()
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(c.tc.compile, c.args.list()...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := toolError(cmd.Run())
	var exit exitError
	strict := os.Getenv("FILIP_STRICT") != ""
	if c.fallback != nil && errors.As(err, &exit) && !strict {
		first, _, _ := strings.Cut(strings.TrimSpace(stdout.String()+stderr.String()), "\n")
		if err := runTool(c.tc.compile, c.fallback.list()); err != nil {
			return err
		}
		c.complain(first)
		return nil
	}
	text := stdout.Bytes()
	if err == nil { // an error in a file of ours is to be seen
		text = withoutHelpers(text)
	}
	_, err1 := os.Stdout.Write(text)
	_, err2 := os.Stderr.Write(stderr.Bytes())
	if err := errors.Join(err, err1, err2); err != nil {
		return err
	}
	if c.unfit != nil {
		c.complain(c.unfit.Error())
		if strict {
			return exitError{1}
		}
	}
	return nil
}

// withoutHelpers is what the compiler wrote without what -m says of our own functions.
func withoutHelpers(text []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(text) {
		file, _, _ := bytes.Cut(line, []byte(".go:"))
		if !bytes.HasPrefix(file, []byte(injectedPath)) && !bytes.HasSuffix(file, []byte(accessorName)) {
			kept = append(kept, line...)
		}
	}
	return kept
}

func (c *compilation) complain(why string) {
	fmt.Fprintf(os.Stderr, "filip-inst: %s is not instrumented: %s (please report this)\n", c.importPath, why)
}

// accessorName is how the names of the accessor files end where they are compiled, without .go.
const accessorName = "filip_accessor"

// compileRuntime compiles package runtime with the accessor files.
func compileRuntime(tc toolchain, a arguments, out string, k kinds) error {
	dir := filepath.Join(filepath.Dir(out), "filip")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if tc.cycles() {
		unfit, err := editRuntime(&a, dir, tc.version, k)
		if err != nil {
			return err
		}
		if unfit != nil {
			tell("filip-inst: some allocations of package runtime are not seen: " + unfit.Error())
		}
	}
	files := [][]byte{settings(k)}
	for _, file := range tc.accessors() {
		src, err := filip.Sources.ReadFile(file)
		if err != nil {
			return err
		}
		files = append(files, src)
	}
	for i, src := range files {
		name := filepath.Join(dir, fmt.Sprint(i, accessorName, ".go"))
		if err := os.WriteFile(name, src, 0o666); err != nil {
			return err
		}
		a.files = append(a.files, name)
	}
	if a.diagnoses() {
		return (&compilation{tc: tc, args: a}).run()
	}
	return replaceProcess(tc.compile, a.list())
}

// importPath is the import path of the package being compiled, as go list prints it
// (compile's -p says "main" for every command). Test variants have that of their package.
func importPath(pkg string) string {
	path, _, _ := strings.Cut(os.Getenv("TOOLEXEC_IMPORTPATH"), " ")
	if path == "" {
		return pkg
	}
	return path
}
