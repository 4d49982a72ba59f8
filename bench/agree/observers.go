package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The observers are compared in two runs of a program, one with each, that end with collections
// (see stats.Report): which objects are garbage by then is a matter of the program alone, and
// both are to have found these dead, no others, whenever that was. What differs between any
// two runs is left out: sites whose number of births does, mostly pools, which lose what they
// hold to collections, and random tables; and sites of tiny objects, which live as long as any that
// the allocator has put into the same block.

const observersHeader = "program    observer   objects      dead  survivors  GC cycles   sites  compared  their objects  differ"

// A site is known by its place and type.
type site struct {
	File         string
	Line, Column int
	Type         string
}

// fates are those of a site's objects.
type fates struct{ Objects, Survivors, Shared float64 }

type profile struct {
	Observer           string
	Objects, Survivors float64
	Cycles             int `json:"gc_cycles"`
	Groups             []struct {
		site
		fates
	}
}

func (p *profile) sites() map[site]fates {
	sites := make(map[site]fates)
	for _, g := range p.Groups {
		sites[g.site] = g.fates
	}
	return sites
}

func (a *agree) observers(program string) error {
	exe := filepath.Join(a.w.Dir, program+".filip")
	census, err := a.observe(exe, "census")
	if err != nil {
		return err
	}
	cleanup, err := a.observe(exe, "cleanup")
	if err != nil {
		return err
	}
	sites, others := census.sites(), cleanup.sites()
	var compared, objects float64
	var different []string
	for s, f := range sites {
		o := others[s]
		if f.Objects != o.Objects || f.Shared+o.Shared > 0 {
			continue
		}
		compared++
		objects += f.Objects
		if f.Survivors != o.Survivors {
			different = append(different, fmt.Sprintf("  %s:%d:%d: %s: of %.0f objects %.0f survive by the census, %.0f by cleanups",
				s.File, s.Line, s.Column, s.Type, f.Objects, f.Survivors, o.Survivors))
		}
	}
	for _, p := range []profile{census, cleanup} {
		fmt.Printf("%-10s %-8s %9.0f %9.0f %10.0f %10d", program, p.Observer, p.Objects, p.Objects-p.Survivors, p.Survivors, p.Cycles)
		if p.Observer == "census" {
			fmt.Println()
			continue
		}
		fmt.Printf(" %7d %9.0f %13.1f%% %7d\n", len(sites), compared, 100*objects/census.Objects, len(different))
	}
	for _, d := range different {
		fmt.Println(d)
	}
	a.disagree = a.disagree || len(different) > 0
	return nil
}

// observe runs a program with an observer of deaths.
func (a *agree) observe(exe, observer string) (p profile, err error) {
	out := filepath.Join(a.w.Dir, "observed.filip")
	defer os.Remove(out)
	if _, err := a.w.Run(exe, "FILIP_RATE=1", "FILIP_MAX=16GiB", "FILIP_OBSERVER="+observer, "FILIP_OUT="+out, "BENCH_GC=1"); err != nil {
		return p, err
	}
	text, err := exec.Command(a.w.Tool, "report", "-json", "-top", "0", out).Output()
	if err != nil {
		return p, fmt.Errorf("filip-inst report: %w", err)
	}
	return p, json.Unmarshal(text, &p)
}
