package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// wrapMode as the first argument makes this program a toolexec that notes the memory of
// each compile in a file, and runs what follows.
const wrapMode = "-wrap"

// wrap runs a tool, or a tool through filip-inst, and notes what a compile took.
func wrap(log string, args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	done := make(chan error)
	go func() { done <- cmd.Wait() }()
	most := 0
	for {
		select {
		case <-done:
			pkg := os.Getenv("TOOLEXEC_IMPORTPATH")
			if i := slices.Index(args, "-p"); i > 0 && slices.Contains(args, "-pack") {
				if err := note(log, fmt.Sprintf("%d %s\n", most, pkg)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					return 1
				}
			}
			return cmd.ProcessState.ExitCode()
		case <-time.After(time.Millisecond):
			most = max(most, resident(cmd.Process.Pid))
		}
	}
}

func note(log, line string) error {
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return err
}

// resident is the memory of a process and its children, in kB: of one that waits for a child
// what is resident now, else what was resident at most so far.
func resident(pid int) int {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	program, _ := os.Readlink(filepath.Join(dir, "exe"))
	below := 0
	tasks, _ := filepath.Glob(filepath.Join(dir, "task", "*", "children"))
	for _, name := range tasks {
		children, _ := os.ReadFile(name)
		for child := range strings.FieldsSeq(string(children)) {
			// Before it runs another program, a child shares its parent's memory.
			its, err := os.Readlink(filepath.Join("/proc", child, "exe"))
			if id, e := strconv.Atoi(child); e == nil && err == nil && its != program {
				below += resident(id)
			}
		}
	}
	key := "VmHWM:"
	if below > 0 {
		key = "VmRSS:"
	}
	status, _ := os.ReadFile(filepath.Join(dir, "status")) // nothing of a process that is gone
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			kB, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kB + below
		}
	}
	return below
}

// memory builds both ways, cold, and compares what each compile took.
func (t target) memory() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var sides [2]map[string]int
	for side := range 2 {
		log := filepath.Join(t.w.Dir, fmt.Sprint("memory", side))
		tool := self + " " + wrapMode + " " + log
		if side == 1 {
			tool += " " + t.w.Tool
		}
		cache := filepath.Join(t.w.Dir, "gocache")
		if _, _, err := t.build(0, []string{"GOCACHE=" + cache}, "-toolexec", tool); err != nil {
			return err
		}
		if err := os.RemoveAll(cache); err != nil {
			return err
		}
		if sides[side], err = readLog(log); err != nil {
			return err
		}
	}
	type compile struct {
		pkg   string
		ratio float64
	}
	var all []compile
	for pkg, kB := range sides[0] {
		if filip := sides[1][pkg]; filip > 0 && kB > 0 {
			all = append(all, compile{pkg, float64(filip) / float64(kB)})
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: no compile was measured", t.name)
	}
	slices.SortFunc(all, func(a, b compile) int { return sides[0][b.pkg] - sides[0][a.pkg] })
	fmt.Printf("memory of %d compiles of %s, MB: the ten largest and the largest ratio\n", len(all), t.name)
	worst := slices.MaxFunc(all, func(a, b compile) int { return int(1e6*a.ratio) - int(1e6*b.ratio) })
	for _, c := range append(all[:min(10, len(all))], worst) {
		fmt.Printf("%-60s %8.1f %8.1f %7.2f\n", c.pkg, float64(sides[0][c.pkg])/1000, float64(sides[1][c.pkg])/1000, c.ratio)
	}
	return nil
}

func readLog(name string) (map[string]int, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := make(map[string]int)
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		kB, pkg, _ := strings.Cut(sc.Text(), " ")
		n, err := strconv.Atoi(kB)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[pkg] = max(all[pkg], n)
	}
	return all, sc.Err()
}
