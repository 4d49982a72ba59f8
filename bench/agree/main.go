// Agree runs filip-inst verify on the benchmark programs and on test binaries of third-party
// modules: it compares the profile of all objects with the runtime's own trace of the same run,
// object by object, and prints a row per target with the sums over its packages and rounds. A
// disagreement is a bug of ours until it is explained.
//
//	cd bench && go run ./agree [-rounds 1] [-keep directory] [program | "module@version [PATTERN…]"]…
//
// Without arguments it runs the programs. They have a second table: each is run with both observers
// of deaths, which share no code that notices a death, and both profiles are compared site by site.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/filip-go/filip/bench/run"
)

func main() {
	rounds := flag.Int("rounds", 1, "rounds per target")
	keep := flag.String("keep", "", "keep the profiles and traces that disagree in this `directory`")
	flag.Parse()
	targets := flag.Args()
	if len(targets) == 0 {
		targets = run.Programs
	}
	a := agree{rounds: *rounds, keep: *keep}
	if err := a.run(targets); err != nil {
		fmt.Fprintln(os.Stderr, "agree:", err)
		os.Exit(1)
	}
	if a.disagree {
		os.Exit(1)
	}
}

type agree struct {
	w        *run.Workspace
	rounds   int
	keep     string
	kept     int
	disagree bool // something did, or could not be compared
}

func (a *agree) run(targets []string) error {
	w, err := run.New()
	if err != nil {
		return err
	}
	defer w.Close()
	a.w = w
	var programs []string
	fmt.Println(header)
	for _, target := range targets {
		t := total{target: target}
		if slices.Contains(run.Programs, target) {
			programs = append(programs, target)
			err = a.program(&t)
		} else {
			err = a.suite(&t)
		}
		if err != nil {
			return err
		}
		a.disagree = a.disagree || t.Disagreements > 0 || len(t.failed) > 0
		t.print()
	}
	if len(programs) == 0 {
		return nil
	}
	fmt.Println("\n" + observersHeader)
	for _, program := range programs {
		if err := a.observers(program); err != nil {
			return err
		}
	}
	return nil
}

func (a *agree) program(t *total) error {
	exe, err := a.w.Build(t.target, true)
	if err != nil {
		return err
	}
	for range a.rounds {
		a.verify(t, t.target, a.w.Dir, exe)
	}
	return nil
}

// suite builds the test binary of each package that has tests, and runs it where go test would.
func (a *agree) suite(t *total) error {
	s, err := a.w.Suite(t.target)
	if err != nil {
		return err
	}
	packages, err := s.Tested()
	if err != nil {
		return err
	}
	for _, p := range packages {
		exe, err := a.w.BuildTest(s, p)
		if err != nil {
			t.failed = append(t.failed, err)
			continue
		}
		for range a.rounds {
			a.verify(t, p.ImportPath, p.Dir, exe, "-test.short", "-test.timeout=15m")
		}
		os.Remove(exe)
	}
	if len(packages) == 0 {
		t.failed = append(t.failed, errors.New("no package has tests"))
	}
	return nil
}
