// Overhead measures what instrumentation and sampling cost programs that are built on libraries
// nobody here wrote: CPU and wall time, heap objects and bytes, and memory, as ratios to the plain
// build. Each round runs the plain program and the instrumented one at every rate, in an order
// drawn anew; figures are ratios of the medians over the rounds.
//
// The columns seen and seen B are the shares of the program's heap objects and bytes that have a
// site in the report of the last round's profile. Where sampling is off there is none. At other
// rates than 1/1 these are estimates, and can come out above 100%.
//
//	cd bench && go run ./overhead [-rounds 30] [-rates off,1/1000,1/100,1/1] [program…]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"

	"github.com/filip-go/filip/bench/run"
)

func main() {
	rounds := flag.Int("rounds", 30, "rounds per program")
	rates := flag.String("rates", "off,1/1000,1/100,1/1", "sampling rates")
	flag.Parse()
	programs := flag.Args()
	if len(programs) == 0 {
		programs = run.Programs
	}
	if err := measure(programs, strings.Split(*rates, ","), *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "overhead:", err)
		os.Exit(1)
	}
}

func measure(programs, rates []string, rounds int) error {
	w, err := run.New()
	if err != nil {
		return err
	}
	defer w.Close()
	fmt.Println("program   rate       CPU    wall  objects    bytes     RSS    seen  seen B   plain: CPU   objects")
	for _, program := range programs {
		plain, err := w.Build(program, false)
		if err != nil {
			return err
		}
		filip, err := w.Build(program, true)
		if err != nil {
			return err
		}
		if err := compare(w, program, plain, filip, rates, rounds); err != nil {
			return err
		}
	}
	return nil
}

// A side is one way to run a program.
type side struct {
	name, exe string
	env       []string
	results   []run.Result
	seen      coverage
}

// coverage is how much of the heap a report has: nil if there is none, or if it does not know.
type coverage struct {
	Objects *float64 `json:"coverage"`
	Bytes   *float64 `json:"coverage_bytes"`
}

func seen(w *run.Workspace) (c coverage, err error) {
	text, err := exec.Command(w.Tool, "report", "-json", "-top", "1", w.Profile()).Output()
	if err != nil {
		return c, fmt.Errorf("filip-inst report: %w", err)
	}
	return c, json.Unmarshal(text, &c)
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100**share)
}

func compare(w *run.Workspace, program, plain, filip string, rates []string, rounds int) error {
	sides := []*side{{name: "plain", exe: plain}}
	for _, rate := range rates {
		s := &side{name: rate, exe: filip}
		if rate != "off" {
			s.env = []string{"FILIP_RATE=" + rate}
		}
		sides = append(sides, s)
	}
	for round := range rounds {
		for _, i := range rand.Perm(len(sides)) {
			s := sides[i]
			r, err := w.Run(s.exe, s.env...)
			if err != nil {
				return err
			}
			s.results = append(s.results, r)
			if want := sides[i].results[0].Stdout; r.Stdout != want {
				return fmt.Errorf("%s at %s prints %q, and before %q", program, s.name, r.Stdout, want)
			}
			// The next run replaces the profile.
			if round == rounds-1 && s.env != nil {
				if s.seen, err = seen(w); err != nil {
					return err
				}
			}
		}
	}
	base := sides[0].results
	for _, s := range sides[1:] {
		if s.results[0].Stdout != base[0].Stdout {
			return fmt.Errorf("%s at %s prints %q, plain prints %q", program, s.name, s.results[0].Stdout, base[0].Stdout)
		}
		ratio := func(figure func(run.Result) float64) float64 {
			return run.Median(s.results, figure) / run.Median(base, figure)
		}
		fmt.Printf("%-9s %-7s %6.3f  %6.3f  %7.4f  %7.4f  %6.3f  %6s  %6s  %8.0f ms  %8.0f\n", program, s.name,
			ratio(func(r run.Result) float64 { return float64(r.CPU) }),
			ratio(func(r run.Result) float64 { return float64(r.Wall) }),
			ratio(func(r run.Result) float64 { return float64(r.Objects) }),
			ratio(func(r run.Result) float64 { return float64(r.Bytes) }),
			ratio(func(r run.Result) float64 { return float64(r.RSS) }),
			percent(s.seen.Objects), percent(s.seen.Bytes),
			run.Median(base, func(r run.Result) float64 { return float64(r.CPU.Milliseconds()) }),
			run.Median(base, func(r run.Result) float64 { return float64(r.Objects) }))
	}
	return nil
}
