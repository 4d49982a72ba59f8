// Allocs runs the benchmarks of third-party modules, or of the standard library, plain and
// instrumented with sampling off, and compares for each the heap objects and bytes per
// operation: an instrumented program is to allocate what the plain one does.
//
//	cd bench && go run ./allocs [-benchtime 100x] ["module@version [PATTERN…]"… | std | std/PATTERN…]
//
// Without arguments it runs the modules of run.Modules. A benchmark whose figures differ by
// more than 0.1% and one unit is run again five times on both sides, and the smallest figures
// of each are compared: pools, maps and goroutines make some figures vary, and only upwards.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/filip-go/filip/bench/run"
)

func main() {
	benchtime := flag.String("benchtime", "100x", "as of go test")
	flag.Parse()
	header := fmt.Sprintf("%-60s %10s %10s %10s %7s", "benchmarks", "compared", "objects", "bytes", "differ")
	err := run.Each(flag.Args(), header, func(w *run.Workspace, target string) error {
		return compare(w, target, *benchtime)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "allocs:", err)
		os.Exit(1)
	}
}

type benchmark struct{ pkg, name string }

// figures of a benchmark, per operation: the smallest seen.
type figures struct{ objects, bytes int64 }

func compare(w *run.Workspace, target, benchtime string) error {
	s, err := w.Suite(target)
	if err != nil {
		return err
	}
	plain, err := measure(s, "", ".", benchtime, 1)
	if err != nil {
		return err
	}
	filip, err := measure(s, w.Tool, ".", benchtime, 1)
	if err != nil {
		return err
	}
	var suspects []benchmark
	for b, p := range plain {
		if f, ok := filip[b]; ok && !same(p, f) {
			suspects = append(suspects, b)
		}
	}
	for _, b := range suspects {
		only := s
		only.Patterns = []string{b.pkg}
		top, _, _ := strings.Cut(b.name, "/")
		for tool, all := range map[string]map[benchmark]figures{"": plain, w.Tool: filip} {
			again, err := measure(only, tool, "^"+top+"$", benchtime, 5)
			if err != nil {
				return err
			}
			all[b] = least(all[b], again[b])
		}
	}
	var sumPlain, sumFilip figures
	var differ []string
	compared := 0
	for b, p := range plain {
		f, ok := filip[b]
		if !ok {
			differ = append(differ, fmt.Sprintf("  %s %s: not run with filip-inst", b.pkg, b.name))
			continue
		}
		compared++
		sumPlain.objects, sumPlain.bytes = sumPlain.objects+p.objects, sumPlain.bytes+p.bytes
		sumFilip.objects, sumFilip.bytes = sumFilip.objects+f.objects, sumFilip.bytes+f.bytes
		if !same(p, f) {
			differ = append(differ, fmt.Sprintf("  %s %s: %d objects, %d bytes; plain %d, %d", b.pkg, b.name, f.objects, f.bytes, p.objects, p.bytes))
		}
	}
	slices.Sort(differ)
	fmt.Printf("%-60s %10d %10.5f %10.5f %7d\n", target, compared,
		float64(sumFilip.objects)/float64(sumPlain.objects), float64(sumFilip.bytes)/float64(sumPlain.bytes), len(differ))
	for _, d := range differ {
		fmt.Println(d)
	}
	return nil
}

// same reports whether two figures differ by no more than 0.1%, or by one, which the
// division by the number of operations may make.
func same(a, b figures) bool {
	near := func(x, y int64) bool { return max(x-y, y-x) <= max(1, x/1000) }
	return near(a.objects, b.objects) && near(a.bytes, b.bytes)
}

func least(a, b figures) figures {
	if b == (figures{}) {
		return a
	}
	return figures{min(a.objects, b.objects), min(a.bytes, b.bytes)}
}

var result = regexp.MustCompile(`^(Benchmark\S+?)(?:-\d+)?\s.*\s(\d+) B/op\s+(\d+) allocs/op`)

// measure runs benchmarks count times and returns the least figures of each.
func measure(s run.Suite, tool, pattern, benchtime string, count int) (map[benchmark]figures, error) {
	args := []string{"test", "-p=1", "-short", "-run=^$", "-bench=" + pattern, "-benchmem", "-timeout=30m",
		"-benchtime=" + benchtime, "-count=" + strconv.Itoa(count)}
	if tool != "" {
		args = append(args, "-toolexec", tool)
	}
	cmd := s.Go(args...)
	out, err := cmd.CombinedOutput()
	all := make(map[benchmark]figures)
	var pkg string
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		line := sc.Text()
		if rest, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = rest
		}
		m := result.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		bytes, _ := strconv.ParseInt(m[2], 10, 64)
		objects, _ := strconv.ParseInt(m[3], 10, 64)
		b, f := benchmark{pkg, m[1]}, figures{objects, bytes}
		if old, ok := all[b]; ok {
			f = least(old, f)
		}
		all[b] = f
	}
	if len(all) == 0 && err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return all, nil
}
