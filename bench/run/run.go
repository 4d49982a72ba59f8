// Package run builds and runs the benchmark programs.
package run

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Programs are the directories below programs.
var Programs = []string{"bolt", "csvq", "esbuild", "goja", "goldmark", "tengo", "types", "web", "yaml"}

// A Workspace holds the built tool and programs of one benchmark run.
type Workspace struct {
	Dir  string
	Tool string // filip-inst
}

// New builds filip-inst from the module that this one lies in, into a temporary directory.
func New() (*Workspace, error) {
	dir, err := os.MkdirTemp("", "filip-bench-")
	if err != nil {
		return nil, err
	}
	w := &Workspace{Dir: dir, Tool: filepath.Join(dir, "filip-inst")}
	cmd := exec.Command("go", "build", "-o", w.Tool, "./cmd/filip-inst")
	cmd.Dir = ".."
	return w, output(cmd)
}

// Close removes what was built.
func (w *Workspace) Close() { os.RemoveAll(w.Dir) }

// Build builds a program, plain or instrumented, and returns the executable.
func (w *Workspace) Build(program string, instrumented bool, env ...string) (string, error) {
	name := filepath.Join(w.Dir, program+".plain")
	args := []string{"build", "-o", name, "./programs/" + program}
	if instrumented {
		name = filepath.Join(w.Dir, program+".filip")
		args = []string{"build", "-toolexec", w.Tool, "-o", name, "./programs/" + program}
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	return name, output(cmd)
}

// Profile is the file of the last run that wrote one.
func (w *Workspace) Profile() string { return filepath.Join(w.Dir, "profile.filip") }

// A Result is what one run of a program cost.
type Result struct {
	Wall, CPU time.Duration
	RSS       int64 // kB, at its largest
	Objects   int64 // heap objects allocated, collection's own included
	Bytes     int64 // heap bytes allocated, likewise
	Cycles    int64 // GC cycles
	Stdout    string
}

// Run runs an executable with environment variables added, in the workspace.
func (w *Workspace) Run(exe string, env ...string) (Result, error) {
	stats := filepath.Join(w.Dir, "stats")
	cmd := exec.Command(exe)
	cmd.Dir = w.Dir
	cmd.Env = append(os.Environ(), "BENCH_STATS="+stats, "FILIP_OUT="+w.Profile())
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return Result{}, fmt.Errorf("%s: %w\n%s", exe, err, stderr.Bytes())
	}
	r := Result{
		Wall: time.Since(start), CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		RSS: maxRSS(cmd.ProcessState), Stdout: stdout.String(),
	}
	text, err := os.ReadFile(stats)
	if os.IsNotExist(err) {
		return r, nil // a program that measures itself
	}
	if err != nil {
		return r, err
	}
	_, err = fmt.Sscan(string(text), &r.Objects, &r.Bytes, &r.Cycles)
	return r, err
}

func output(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return nil
}

// Median of a figure over results.
func Median[T any](results []T, figure func(T) float64) float64 {
	var v []float64
	for _, r := range results {
		v = append(v, figure(r))
	}
	slices.Sort(v)
	n := len(v)
	if n%2 == 1 {
		return v[n/2]
	}
	return (v[n/2-1] + v[n/2]) / 2
}
