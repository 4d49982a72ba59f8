// Suites runs the test suites of third-party modules, or of the standard library, three
// times: plain, instrumented with sampling off, and instrumented at 1/10. It compares test by
// test and prints a table. A difference is a bug of ours until it is explained.
//
//	cd bench && go run ./suites [-rates off,1/10] [-v] ["module@version [PATTERN…]"… | std | std/PATTERN…]
//
// Without arguments it runs the modules of run.Modules. Tests that fail in the plain
// run are not counted against us, and tests that differ are run again, alone, before they count:
// a suite may be flaky.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/filip-go/filip/bench/run"
)

func main() {
	list := flag.String("rates", "off,1/10", "sampling rates")
	verbose := flag.Bool("v", false, "show the output of tests that differ")
	flag.Parse()
	rates := strings.Split(*list, ",")
	header := fmt.Sprintf("%-44s %8s %8s %8s", "suite", "packages", "tests", "plain ok")
	for _, r := range rates {
		header += fmt.Sprintf(" %9s", "at "+r)
	}
	err := run.Each(flag.Args(), header+"  differ", func(w *run.Workspace, target string) error {
		return compare(w, target, rates, *verbose)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

// A suite can be tested.
type suite struct{ run.Suite }

func compare(w *run.Workspace, target string, rates []string, verbose bool) error {
	of, err := w.Suite(target)
	if err != nil {
		return err
	}
	s := suite{of}
	plain, err := s.test(nil, "")
	if err != nil {
		return err
	}
	packages := make(map[string]bool)
	ok := 0
	for t, passed := range plain.passed {
		packages[t.pkg] = true
		if passed {
			ok++
		}
	}
	fmt.Printf("%-44s %8d %8d %8d", target, len(packages), len(plain.passed), ok)
	var differences []string
	for _, rate := range rates {
		flags := []string{"-toolexec", w.Tool}
		filip, err := s.test(flags, rate)
		if err != nil {
			return err
		}
		same := 0
		for t, passed := range plain.passed {
			switch {
			case !passed:
			case filip.passed[t], s.passesAlone(t, flags, rate) && !s.failsAlone(t, flags, rate):
				same++
			default:
				text := fmt.Sprintf("  at %s: %s %s", rate, t.pkg, t.name)
				if verbose {
					text += "\n" + filip.output[t]
				}
				differences = append(differences, text)
			}
		}
		fmt.Printf(" %9d", same)
	}
	fmt.Printf("  %6d\n", len(differences))
	slices.Sort(differences)
	for _, d := range differences {
		fmt.Println(d)
	}
	return nil
}

type test struct{ pkg, name string } // no name: the package as a whole

type outcome struct {
	passed map[test]bool
	output map[test]string
}

// test runs the suite once.
func (s suite) test(flags []string, rate string, more ...string) (outcome, error) {
	args := append([]string{"test", "-json", "-short", "-vet=off", "-count=1", "-timeout=15m"}, flags...)
	cmd := s.Go(append(args, more...)...)
	if rate != "" && rate != "off" {
		profiles, err := os.MkdirTemp("", "filip-suites-")
		if err != nil {
			return outcome{}, err
		}
		defer os.RemoveAll(profiles)
		cmd.Env = append(cmd.Env, "FILIP_RATE="+rate, "FILIP_OUT="+filepath.Join(profiles, "%b.%p.filip"), "FILIP_MAX=16MiB")
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	res, events := parse(out.Bytes())
	if events == 0 {
		return res, fmt.Errorf("%v: %w after %v\n%s", cmd.Args, err, time.Since(start).Round(time.Second), out.Bytes())
	}
	return res, nil
}

// passesAlone runs a test that failed in company again.
func (s suite) passesAlone(t test, flags []string, rate string) bool {
	only := suite{run.Suite{Dir: s.Dir, Patterns: []string{t.pkg}, Std: s.Std}}
	var more []string
	if t.name != "" {
		top, _, _ := strings.Cut(t.name, "/")
		more = []string{"-run", "^" + top + "$"}
	}
	res, err := only.test(flags, rate, more...)
	return err == nil && res.passed[t]
}

// failsAlone reports whether the test fails even now and then: it is run three times more.
func (s suite) failsAlone(t test, flags []string, rate string) bool {
	for range 3 {
		if !s.passesAlone(t, flags, rate) {
			return true
		}
	}
	return false
}

// varying matches what differs in names between any two runs or builds: addresses, random
// numbers, and white space, which google.golang.org/protobuf varies with the executable's hash.
var varying = regexp.MustCompile(`0x[0-9a-f]{6,}|[0-9]{12,}|_+`)

// parse reads the events of go test -json.
func parse(out []byte) (res outcome, events int) {
	res = outcome{map[test]bool{}, map[test]string{}}
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(sc.Bytes(), &e) != nil || e.Package == "" {
			continue
		}
		events++
		t := test{e.Package, varying.ReplaceAllString(e.Test, "…")}
		switch e.Action {
		case "pass":
			res.passed[t] = true
		case "fail":
			res.passed[t] = false
		case "output":
			if len(res.output[t]) < 4000 {
				res.output[t] += "    " + e.Output
			}
		}
	}
	return res, events
}
