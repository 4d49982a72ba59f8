// Overhead measures what instrumentation and sampling cost four programs built on
// third-party libraries: CPU and wall time, heap objects and bytes, and memory, as ratios to the plain
// build. The sides alternate within each round; figures are medians over the rounds of
// the ratio within a round.
//
//	cd bench && go run ./overhead [-rounds 15] [-rates off,1/1000,1/100,1/1] [program…]
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/filip-go/filip/bench/run"
)

func main() {
	rounds := flag.Int("rounds", 15, "rounds per program")
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
	fmt.Println("program   rate       CPU    wall  objects    bytes     RSS   plain: CPU   objects")
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

type pair struct{ plain, filip run.Result }

func compare(w *run.Workspace, program, plain, filip string, rates []string, rounds int) error {
	pairs := make(map[string][]pair)
	for range rounds {
		for _, rate := range rates {
			p, err := w.Run(plain)
			if err != nil {
				return err
			}
			var env []string
			if rate != "off" {
				env = append(env, "FILIP_RATE="+rate)
			}
			f, err := w.Run(filip, env...)
			if err != nil {
				return err
			}
			if p.Stdout != f.Stdout {
				return fmt.Errorf("%s at %s prints %q, plain prints %q", program, rate, f.Stdout, p.Stdout)
			}
			pairs[rate] = append(pairs[rate], pair{p, f})
		}
	}
	for _, rate := range rates {
		ratio := func(figure func(run.Result) float64) float64 {
			return run.Median(pairs[rate], func(p pair) float64 { return figure(p.filip) / figure(p.plain) })
		}
		fmt.Printf("%-9s %-7s %6.3f  %6.3f  %7.4f  %7.4f  %6.3f  %8.0f ms  %8.0f\n", program, rate,
			ratio(func(r run.Result) float64 { return float64(r.CPU) }),
			ratio(func(r run.Result) float64 { return float64(r.Wall) }),
			ratio(func(r run.Result) float64 { return float64(r.Objects) }),
			ratio(func(r run.Result) float64 { return float64(r.Bytes) }),
			ratio(func(r run.Result) float64 { return float64(r.RSS) }),
			run.Median(pairs[rate], func(p pair) float64 { return float64(p.plain.CPU.Milliseconds()) }),
			run.Median(pairs[rate], func(p pair) float64 { return float64(p.plain.Objects) }))
	}
	return nil
}
