// Births measures what a birth, a death, and a collection that finds the object alive cost at a rate
// of 1/1, per object: the CPU time of a program that allocates and drops a million, less
// that of the plain build. The two alternate; figures are medians.
//
//	cd bench && go run ./births [-rounds 15]
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/filip-go/filip/bench/run"
)

func main() {
	rounds := flag.Int("rounds", 15, "rounds")
	flag.Parse()
	if err := measure(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, "births:", err)
		os.Exit(1)
	}
}

type cost struct{ birth, alive, death float64 }

func measure(rounds int) error {
	w, err := run.New()
	if err != nil {
		return err
	}
	defer w.Close()
	plain, err := w.Build("births", false)
	if err != nil {
		return err
	}
	filip, err := w.Build("births", true)
	if err != nil {
		return err
	}
	sides := []struct {
		name, exe string
		env       []string
		costs     []cost
	}{
		{name: "plain", exe: plain},
		{name: "off", exe: filip},
		{name: "1/1", exe: filip, env: []string{"FILIP_RATE=1/1", "FILIP_MAX=1GiB"}},
	}
	for range rounds {
		for i := range sides {
			s := &sides[i]
			r, err := w.Run(s.exe, s.env...)
			if err != nil {
				return err
			}
			var c cost
			if _, err := fmt.Sscanf(r.Stdout, "birth %g\nalive %g\ndeath %g\n", &c.birth, &c.alive, &c.death); err != nil {
				return fmt.Errorf("%s prints %q: %w", s.exe, r.Stdout, err)
			}
			s.costs = append(s.costs, c)
		}
	}
	fmt.Println("ns of CPU per object   allocated   found alive   found dead")
	for _, s := range sides {
		fmt.Printf("%-22s %9.0f %13.0f %12.0f\n", s.name,
			run.Median(s.costs, func(c cost) float64 { return c.birth }),
			run.Median(s.costs, func(c cost) float64 { return c.alive }),
			run.Median(s.costs, func(c cost) float64 { return c.death }))
	}
	return nil
}
