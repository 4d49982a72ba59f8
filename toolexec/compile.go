package toolexec

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	filip "github.com/filip-go/filip"
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
	switch {
	case pkg == "runtime":
		return compileRuntime(tc, a, out)
	case a.has("std") && runtimeDepends(tool, pkg):
		return replaceProcess(tool, args)
	}
	c := &compilation{tc: tc, args: a, plain: args, dir: filepath.Join(filepath.Dir(out), "filip"), importPath: importPath(pkg)}
	if err := c.prepare(pkg); err != nil {
		return err
	}
	if !c.changed {
		return replaceProcess(tool, args)
	}
	if err := c.run(); err != nil {
		return err
	}
	if pkg == "main" {
		return appendLinkMember(out, tc)
	}
	return nil
}

// A compilation is one package on its way through the compiler.
type compilation struct {
	tc         toolchain
	args       arguments // to compile with
	plain      []string  // what cmd/go asked for
	dir        string    // for the files we write, within cmd/go's directory of the action
	importPath string
	changed    bool
	wrapped    bool // sources were rewritten, so a failure may be ours
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
	var result *rewrite.Result
	if instruments(os.Getenv("FILIP_PACKAGES"), c.importPath, c.args.has("std")) {
		p, err := load(c.args, cfg, pkg, c.importPath)
		if err != nil {
			return nil // the compiler will say what is wrong, in its own words
		}
		if result, err = rewrite.Rewrite(p); err != nil {
			return fmt.Errorf("rewrite %s: %w", c.importPath, err)
		}
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	if result != nil && result.Table != nil {
		if err := c.use(result); err != nil {
			return err
		}
		archive, err := c.tc.runtimeArchive()
		if err != nil {
			return err
		}
		cfg.add(runtimeImport, archive)
	}
	if pkg == "main" {
		archives, err := c.tc.archives(cfg.archives["runtime"])
		if err != nil {
			return err
		}
		const collect = injectedPath + "runtime/collect"
		if err := c.addFile("filip_main.go", []byte("package main\n\nimport _ \""+collect+"\"\n")); err != nil {
			return err
		}
		cfg.add(collect, archives[collect])
	}
	if !c.changed {
		return nil
	}
	name := filepath.Join(c.dir, "importcfg")
	c.args.set("importcfg", name)
	return cfg.write(name)
}

// use has the rewritten files compiled in place of the originals.
func (c *compilation) use(r *rewrite.Result) error {
	for i, content := range r.Files {
		name := filepath.Join(c.dir, fmt.Sprintf("%d_%s", i, filepath.Base(c.args.files[i])))
		if err := os.WriteFile(name, content, 0o666); err != nil {
			return err
		}
		c.args.files[i] = name
	}
	c.wrapped = true
	raiseLang(&c.args)
	return c.addFile("filip_sites.go", r.Table)
}

func (c *compilation) addFile(name string, content []byte) error {
	name = filepath.Join(c.dir, name)
	c.args.files = append(c.args.files, name)
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
// because of us, and the user sees the compiler's own words.
func (c *compilation) run() error {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(c.tc.compile, c.args.list()...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := toolError(cmd.Run())
	var exit exitError
	if c.wrapped && errors.As(err, &exit) && os.Getenv("FILIP_STRICT") == "" {
		if err := runTool(c.tc.compile, c.plain); err != nil {
			return err
		}
		first, _, _ := strings.Cut(strings.TrimSpace(stdout.String()+stderr.String()), "\n")
		fmt.Fprintf(os.Stderr, "filip-inst: %s is not instrumented: %s (please report this)\n", c.importPath, first)
		return nil
	}
	_, err1 := os.Stdout.Write(stdout.Bytes())
	_, err2 := os.Stderr.Write(stderr.Bytes())
	return errors.Join(err, err1, err2)
}

// compileRuntime compiles package runtime with the accessor file.
func compileRuntime(tc toolchain, a arguments, out string) error {
	src, err := filip.Sources.ReadFile(tc.accessor())
	if err != nil {
		return err
	}
	dir := filepath.Join(filepath.Dir(out), "filip")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := filepath.Join(dir, "filip_accessor.go")
	if err := os.WriteFile(name, src, 0o666); err != nil {
		return err
	}
	a.files = append(a.files, name)
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
