package run

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Suite is where the go command finds packages that nobody here wrote.
type Suite struct {
	Dir      string
	Patterns []string
	Std      bool
}

// Suite prepares "std", "std/PATTERN", "module@version" or "module@version PATTERN…". A module
// is copied to the workspace, because the module cache is read-only.
func (w *Workspace) Suite(target string) (Suite, error) {
	target, rest, _ := strings.Cut(target, " ")
	patterns := strings.Fields(rest)
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if target == "std" {
		return Suite{w.Dir, []string{"std"}, true}, nil
	}
	if pattern, ok := strings.CutPrefix(target, "std/"); ok {
		return Suite{w.Dir, []string{pattern}, true}, nil
	}
	cmd := exec.Command("go", "mod", "download", "-json", target)
	cmd.Dir = w.Dir
	out, err := cmd.Output()
	if err != nil {
		return Suite{}, fmt.Errorf("go mod download %s: %w\n%s", target, err, out)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return Suite{}, err
	}
	dir := filepath.Join(w.Dir, strings.ReplaceAll(target, "/", "_"))
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		return Suite{}, err
	}
	return Suite{dir, patterns, false}, makeWritable(dir)
}

// Go is a go command on the suite's packages: subcommand and flags, then the patterns.
func (s Suite) Go(args ...string) *exec.Cmd {
	cmd := exec.Command("go", append(args, s.Patterns...)...)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), "FILIP_STRICT=1", "GOWORK=off")
	if !s.Std {
		cmd.Env = append(cmd.Env, "GOFLAGS=-mod=mod") // old modules lack sums that newer Go wants
	}
	return cmd
}

// Each prints a header and compares the targets, by default Modules. A target that cannot be
// compared is a line in the table.
func Each(targets []string, header string, compare func(w *Workspace, target string) error) error {
	if len(targets) == 0 {
		targets = Modules
	}
	w, err := New()
	if err != nil {
		return err
	}
	defer w.Close()
	fmt.Println(header)
	for _, target := range targets {
		if err := compare(w, target); err != nil {
			fmt.Printf("%s: %v\n", target, err)
		}
	}
	return nil
}

func makeWritable(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(name, info.Mode()|0o200)
	})
}

// A Package is one that has tests.
type Package struct {
	ImportPath, Dir string
}

// Tested lists the suite's packages that have tests.
func (s Suite) Tested() ([]Package, error) {
	cmd := s.Go("list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", cmd.Args, err)
	}
	var packages []Package
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			packages = append(packages, Package{path, dir})
		}
	}
	return packages, nil
}

// BuildTest builds the instrumented test binary of a package and returns it.
func (w *Workspace) BuildTest(s Suite, p Package) (string, error) {
	exe := filepath.Join(w.Dir, strings.ReplaceAll(p.ImportPath, "/", "_")+".test")
	s.Patterns = []string{p.ImportPath}
	return exe, output(s.Go("test", "-c", "-vet=off", "-toolexec", w.Tool, "-o", exe))
}
