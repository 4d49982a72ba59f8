// Builds measures how long it takes to build a program with the toolexec, as a ratio to plain:
// cold (empty build cache, the standard library included), with nothing to do, after a change
// to package main, and after one to a package below it. The neutral compiler is there already: it
// is built once per Go version. The sides alternate; figures are medians. With -memory it
// measures instead what each compile takes at its largest: the resident sets of filip-inst
// and the compiler together, which is an upper bound.
//
//	cd bench && go run ./builds [-rounds 3] [-memory] [-leaf FILE] [program | module@version [package]]
//
// A program is one of those below programs; csvq is the default. FILE is relative to the
// module.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/filip-go/filip/bench/run"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == wrapMode {
		os.Exit(wrap(os.Args[2], os.Args[3:]))
	}
	rounds := flag.Int("rounds", 3, "rounds")
	memory := flag.Bool("memory", false, "measure memory instead of time")
	leaf := flag.String("leaf", "", "a file to change, of a package below main")
	flag.Parse()
	if err := measure(flag.Args(), *leaf, *rounds, *memory); err != nil {
		fmt.Fprintln(os.Stderr, "builds:", err)
		os.Exit(1)
	}
}

// A target is the command to build.
type target struct {
	w            *run.Workspace
	suite        run.Suite
	name, change string // the change: a file of package main
}

func prepare(w *run.Workspace, args []string) (target, error) {
	t := target{w: w, name: "csvq"}
	if len(args) > 0 {
		t.name = args[0]
	}
	if strings.Contains(t.name, "@") {
		s, err := w.Suite(t.name)
		if err != nil {
			return t, err
		}
		s.Patterns = []string{"."}
		if len(args) > 1 {
			s.Patterns = args[1:2]
		}
		t.suite = s
	} else {
		here, err := os.Getwd()
		if err != nil {
			return t, err
		}
		t.suite = run.Suite{Dir: here, Patterns: []string{"./programs/" + t.name}}
	}
	out, err := t.suite.Go("list", "-f", "{{.Dir}}/{{index .GoFiles 0}}").Output()
	t.change = strings.TrimSpace(string(out))
	return t, err
}

type took struct{ wall, cpu [2]float64 } // plain, instrumented

func measure(args []string, leaf string, rounds int, memory bool) error {
	w, err := run.New()
	if err != nil {
		return err
	}
	defer w.Close()
	t, err := prepare(w, args)
	if err != nil {
		return err
	}
	if _, _, err := t.build(1, nil); err != nil { // builds the neutral compiler and our archives
		return err
	}
	if memory {
		return t.memory()
	}
	steps := []struct{ name, change string }{{"cold", ""}, {"nothing to do", ""}, {"package main", t.change}}
	if leaf != "" {
		steps = append(steps, struct{ name, change string }{leaf, filepath.Join(t.suite.Dir, leaf)})
	}
	results := make([][]took, len(steps))
	for round := range rounds {
		for i := range steps {
			results[i] = append(results[i], took{})
		}
		for side := range 2 {
			cache := filepath.Join(w.Dir, fmt.Sprint("gocache", round, side))
			for i, step := range steps {
				overlay, err := t.overlay(step.change)
				if err != nil {
					return err
				}
				r := &results[i][round]
				if r.wall[side], r.cpu[side], err = t.build(side, []string{"GOCACHE=" + cache}, overlay...); err != nil {
					return err
				}
			}
			os.RemoveAll(cache)
		}
	}
	fmt.Println("build of", t.name, "  plain: wall, CPU     filip: wall, CPU     ratio: wall, CPU")
	for i, step := range steps {
		m := func(figure func(took) float64) float64 { return run.Median(results[i], figure) }
		fmt.Printf("%-24s %9.2fs %7.2fs %9.2fs %7.2fs %9.2f %7.2f\n", step.name,
			m(func(t took) float64 { return t.wall[0] }), m(func(t took) float64 { return t.cpu[0] }),
			m(func(t took) float64 { return t.wall[1] }), m(func(t took) float64 { return t.cpu[1] }),
			m(func(t took) float64 { return t.wall[1] / t.wall[0] }), m(func(t took) float64 { return t.cpu[1] / t.cpu[0] }))
	}
	return nil
}

// overlay is the build flag that adds a variable to a file, without a change to the file.
func (t target) overlay(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	to := filepath.Join(t.w.Dir, "changed.go")
	if err := os.WriteFile(to, append(src, "\nvar filipBenchChange = 1\n"...), 0o666); err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{file: to}})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(t.w.Dir, "overlay.json")
	return []string{"-overlay=" + name}, os.WriteFile(name, text, 0o666)
}

// build builds plain (0) or instrumented (1).
func (t target) build(side int, env []string, flags ...string) (wall, cpu float64, err error) {
	args := append([]string{"build", "-o", filepath.Join(t.w.Dir, "out")}, flags...)
	if side == 1 {
		args = append(args, "-toolexec", t.w.Tool)
	}
	cmd := t.suite.Go(args...)
	cmd.Env = append(cmd.Env, env...)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return time.Since(start).Seconds(), cpuTime(cmd), nil
}

func cpuTime(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}
