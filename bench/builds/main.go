// Builds measures how long it takes to build a program with the toolexec, as a ratio to plain: cold
// (empty build cache, the standard library included), after a change to package main, and with
// nothing to do. The neutral compiler is there already: it is built once per Go version. The
// sides alternate; figures are medians.
//
//	cd bench && go run ./builds [-rounds 3] [program]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/filip-go/filip/bench/run"
)

func main() {
	rounds := flag.Int("rounds", 3, "rounds")
	flag.Parse()
	program := "csvq"
	if flag.NArg() > 0 {
		program = flag.Arg(0)
	}
	if err := measure(program, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "builds:", err)
		os.Exit(1)
	}
}

type took struct{ wall, cpu [2]float64 } // plain, instrumented

func measure(program string, rounds int) error {
	w, err := run.New()
	if err != nil {
		return err
	}
	defer w.Close()
	results := map[string][]took{}
	if _, _, err := timeBuild(w, program, true, nil, nil); err != nil {
		return err
	}
	for round := range rounds {
		var cold, touched, warm took
		for side := range 2 {
			env := []string{"GOCACHE=" + filepath.Join(w.Dir, fmt.Sprint("gocache", round, side))}
			for _, build := range []struct {
				t    *took
				args []string
			}{
				{&cold, nil},
				{&warm, nil},
				{&touched, []string{"-gcflags=./programs/" + program + "=-d=panic"}},
			} {
				if build.t.wall[side], build.t.cpu[side], err = timeBuild(w, program, side == 1, env, build.args); err != nil {
					return err
				}
			}
			os.RemoveAll(filepath.Join(w.Dir, fmt.Sprint("gocache", round, side)))
		}
		results["cold"] = append(results["cold"], cold)
		results["package main"] = append(results["package main"], touched)
		results["nothing to do"] = append(results["nothing to do"], warm)
	}
	fmt.Println("build of", program, "  plain: wall, CPU     filip: wall, CPU     ratio: wall, CPU")
	for _, name := range []string{"cold", "package main", "nothing to do"} {
		m := func(figure func(took) float64) float64 { return run.Median(results[name], figure) }
		fmt.Printf("%-14s %10.2fs %7.2fs %11.2fs %7.2fs %11.2f %7.2f\n", name,
			m(func(t took) float64 { return t.wall[0] }), m(func(t took) float64 { return t.cpu[0] }),
			m(func(t took) float64 { return t.wall[1] }), m(func(t took) float64 { return t.cpu[1] }),
			m(func(t took) float64 { return t.wall[1] / t.wall[0] }), m(func(t took) float64 { return t.cpu[1] / t.cpu[0] }))
	}
	return nil
}

func timeBuild(w *run.Workspace, program string, instrumented bool, env, extra []string) (wall, cpu float64, err error) {
	args := []string{"build", "-o", filepath.Join(w.Dir, "out")}
	if instrumented {
		args = append(args, "-toolexec", w.Tool)
	}
	args = append(append(args, extra...), "./programs/"+program)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return time.Since(start).Seconds(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}
