package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// A total is what filip-inst verify -json printed, summed up over the runs of a target.
type total struct {
	target string
	runs   int
	failed []error // what could not be compared

	repeated int // runs that could not be compared

	Observer       string
	Allocations    uint64
	AllocatedBytes uint64 `json:"allocated_bytes"`
	OwnObjects     uint64 `json:"own_objects"`
	OwnBytes       uint64 `json:"own_bytes"`
	Matched        uint64
	MatchedBytes   uint64 `json:"matched_bytes"`
	Births         agreement
	Deaths         agreement
	Survivors      agreement
	CycleTimes     agreement `json:"cycle_times"`
	Unchecked      uint64
	Disagreements  uint64
}

type agreement struct{ Agree, Of uint64 }

func (a *agreement) add(b agreement) {
	a.Agree += b.Agree
	a.Of += b.Of
}

func (t *total) add(r total) {
	t.runs++
	t.Observer = r.Observer
	t.Allocations += r.Allocations
	t.AllocatedBytes += r.AllocatedBytes
	t.OwnObjects += r.OwnObjects
	t.OwnBytes += r.OwnBytes
	t.Matched += r.Matched
	t.MatchedBytes += r.MatchedBytes
	t.Births.add(r.Births)
	t.Deaths.add(r.Deaths)
	t.Survivors.add(r.Survivors)
	t.CycleTimes.add(r.CycleTimes)
	t.Unchecked += r.Unchecked
	t.Disagreements += r.Disagreements
}

// tries is how often a run that cannot be compared is repeated: with GODEBUG=traceallocfree=1 the
// tracer of Go 1.26 now and then crashes a program at its end, or writes what cannot be read, in
// plain builds, too (the tests of BurntSushi/toml: one run in three).
const tries = 6

// verify adds a run of an executable to the total.
func (a *agree) verify(t *total, name, dir, exe string, args ...string) {
	failed := t.failed
	for range tries {
		t.failed = failed
		if a.tryVerify(t, name, dir, exe, args...) {
			return
		}
		t.repeated++
	}
}

// tryVerify reports whether the run could be compared.
func (a *agree) tryVerify(t *total, name, dir, exe string, args ...string) bool {
	result := filepath.Join(a.w.Dir, "verify.json")
	kept := filepath.Join(a.w.Dir, "run")
	if a.keep != "" {
		a.kept++
		kept = filepath.Join(a.keep, fmt.Sprintf("%d-%s", a.kept, filepath.Base(exe)))
	}
	cmd := exec.Command(a.w.Tool, append([]string{"verify", "-json", "-o", result, "-keep", kept, exe}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	os.Remove(result)
	err := cmd.Run()
	text, readErr := os.ReadFile(result)
	var r total
	if readErr == nil {
		readErr = json.Unmarshal(text, &r)
	}
	switch {
	case readErr != nil:
		t.failed = append(slices.Clip(t.failed), fmt.Errorf("%s: %v\n%s", name, err, lastLine(stderr.Bytes())))
	case r.Disagreements > 0:
		t.add(r)
		t.failed = append(t.failed, fmt.Errorf("%s: %d disagreements", name, r.Disagreements))
		if a.keep != "" {
			os.WriteFile(filepath.Join(kept, "verify.json"), text, 0o666)
			return true
		}
	default:
		t.add(r)
	}
	os.RemoveAll(kept)
	return readErr == nil
}

func lastLine(b []byte) []byte {
	b = bytes.TrimSpace(b)
	return b[bytes.LastIndexByte(b, '\n')+1:]
}

const header = "target                                        runs observer        births, agree        deaths, agree     survivors, agree  GC cycles, agree  disagree  unchecked  covers objects  bytes"

func (t *total) print() {
	pair := func(a agreement) string {
		if a.Agree == a.Of {
			return fmt.Sprintf("%d, all", a.Of)
		}
		return fmt.Sprintf("%d, %d", a.Of, a.Agree)
	}
	fmt.Printf("%-44s  %4d %-8s %20s %20s %20s %17s %9d %10d %14.1f%% %5.1f%%\n", t.target, t.runs, t.Observer,
		pair(t.Births), pair(t.Deaths), pair(t.Survivors), pair(t.CycleTimes), t.Disagreements, t.Unchecked,
		percent(t.Matched, t.Allocations-t.OwnObjects), percent(t.MatchedBytes, t.AllocatedBytes-t.OwnBytes))
	if t.repeated > 0 {
		fmt.Printf("  %d runs could not be compared and were repeated\n", t.repeated)
	}
	for _, err := range t.failed {
		fmt.Printf("  %v\n", err)
	}
}

func percent(n, of uint64) float64 { return 100 * float64(n) / float64(max(of, 1)) }
