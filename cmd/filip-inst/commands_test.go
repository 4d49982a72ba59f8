package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
)

// commands are those of the scripts in addition to testscript's.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"awaitobjects": cmdAwaitObjects,
	"debuginfo":    cmdDebugInfo,
	"files":        cmdFiles,
	"json":         cmdJSON,
	"killed":       cmdKilled,
	"known":        cmdKnown,
	"lines":        cmdLines,
	"listed":       cmdListed,
	"mentions":     cmdMentions,
	"profile":      cmdProfile,
	"repeat":       cmdRepeat,
	"same":         cmdSame,
	"smalldisk":    cmdSmallDisk,
	"stacks":       cmdStacks,
	"status":       cmdStatus,
	"within":       cmdWithin,
}

func condition(cond, toolchain string) (bool, error) {
	switch cond {
	case "go126": // the go command of the scripts
		v := toolchain
		if v == "local" {
			v = runtime.Version()
		}
		return version.Compare(v, "go1.26") >= 0, nil
	case "root":
		return os.Getuid() == 0, nil
	case "asan":
		return sanitizer("gcc", "address"), nil
	case "msan":
		return sanitizer("clang", "memory"), nil
	case "longer":
		return *long, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// sanitizer reports whether a C compiler is there and has a sanitizer's library.
func sanitizer(compiler, name string) bool {
	cmd := exec.Command(compiler, "-fsanitize="+name, "-x", "c", "-o", os.DevNull, "-")
	cmd.Stdin = strings.NewReader("int main(void) { return 0; }")
	return cmd.Run() == nil
}

// cmdSame runs two programs with the same arguments and wants the same standard output,
// standard error and exit status: of the first without a sampling rate, of the second
// without and with several.
//
//	same PLAIN INSTRUMENTED [ARG…]
//
// What differs between any two runs is not compared: addresses, arguments in stack traces,
// and ids of goroutines other than the first.
func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: same plain instrumented [arg...]")
	}
	want := outcome(ts, "", args[0], args[2:])
	for _, rate := range []string{"", "1/1000", "1"} {
		if got := outcome(ts, rate, args[1], args[2:]); got != want {
			ts.Fatalf("FILIP_RATE=%s %s:\n%s\nbut %s:\n%s", rate, strings.Join(args[1:], " "), got, args[0], want)
		}
	}
}

var volatile = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`(?m)^(\S.*)\(.*\)( in goroutine .*)?$`), "$1(…)"}, // arguments in stack traces
	{regexp.MustCompile(`goroutine ([2-9]|1[0-9]+|[2-9][0-9]+)\b`), "goroutine N"},
	{regexp.MustCompile(`\b0x[0-9a-f]+\b`), "0x…"},
	{regexp.MustCompile(`(?m)^exit status \d+\n`), ""},
}

// outcome is what a run of a program shows to the outside.
func outcome(ts *testscript.TestScript, rate, program string, args []string) string {
	cmd := exec.Command(ts.MkAbs(program), args...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "FILIP_RATE="+rate, "GOTRACEBACK=single", "FILIP_OUT="+ts.MkAbs("same.filip"))
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	text := stderr.String()
	for _, v := range volatile {
		text = v.re.ReplaceAllString(text, v.to)
	}
	return fmt.Sprintf("status %d\nstdout: %sstderr: %s", cmd.ProcessState.ExitCode(), stdout.String(), text)
}

// cmdStatus runs a program and wants an exit status.
//
//	status N PROGRAM [ARG…]
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status n program [arg...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// cmdRepeat runs a program several times, with FILIP_SEED=1, 2, … and its profiles in
// run1.filip, run2.filip, ….
//
//	repeat N PROGRAM [ARG…]
func cmdRepeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: repeat n program [arg...]")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	// What follows is to write, and to look at, what it names itself.
	defer ts.Setenv("FILIP_SEED", ts.Getenv("FILIP_SEED"))
	defer ts.Setenv("FILIP_OUT", ts.Getenv("FILIP_OUT"))
	for i := range n {
		ts.Setenv("FILIP_SEED", strconv.Itoa(i+1))
		ts.Setenv("FILIP_OUT", fmt.Sprintf("run%d.filip", i+1))
		ts.Check(ts.Exec(args[1], args[2:]...))
	}
}

// cmdFiles wants a number of files that match a pattern.
//
//	files N PATTERN
func cmdFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: files n pattern")
	}
	names, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if strconv.Itoa(len(names)) != args[0] {
		ts.Fatalf("%d files match %s, want %s: %s", len(names), args[1], args[0], strings.Join(names, " "))
	}
}

// cmdLines wants a number of lines in a file.
//
//	lines FILE N
func cmdLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines file n")
	}
	if n := strings.Count(ts.ReadFile(args[0]), "\n"); strconv.Itoa(n) != args[1] {
		ts.Fatalf("%s has %d lines, want %s", args[0], n, args[1])
	}
}

// cmdMentions wants a text to be in a binary file. (grep would show the file.)
//
//	[!] mentions TEXT FILE
func cmdMentions(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: mentions text file")
	}
	data, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	if found := bytes.Contains(data, []byte(args[0])); found == neg {
		ts.Fatalf("%s mentions %s: %v", args[1], args[0], found)
	}
}

// cmdJSON wants values in a JSON file. A path names fields and indexes of arrays; a value
// is JSON.
//
//	json FILE PATH VALUE…
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args)%2 == 0 {
		ts.Fatalf("usage: json file path value...")
	}
	var root any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &root))
	for i := 1; i < len(args); i += 2 {
		at := root
		for name := range strings.SplitSeq(args[i], ".") {
			switch v := at.(type) {
			case map[string]any:
				at = v[name]
			case []any:
				n, err := strconv.Atoi(name)
				if err != nil || n >= len(v) {
					ts.Fatalf("%s: %s is an array of %d", args[i], name, len(v))
				}
				at = v[n]
			default:
				ts.Fatalf("%s: there is no %s", args[i], name)
			}
		}
		got, err := json.Marshal(at)
		ts.Check(err)
		if string(got) != args[i+1] {
			ts.Fatalf("%s is %s, want %s", args[i], got, args[i+1])
		}
	}
}

// cmdWithin wants no file that matches a pattern to have more than a number of bytes, nor
// to occupy more on the disk.
//
//	within BYTES PATTERN
func cmdWithin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: within bytes pattern")
	}
	bound, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	names, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("no file matches %s", args[1])
	}
	for _, name := range names {
		info, err := os.Stat(name)
		ts.Check(err)
		if info.Size() > bound {
			ts.Fatalf("%s has %d bytes, more than %d", name, info.Size(), bound)
		}
	}
}

// cmdAwaitObjects waits until the profile of a running program has a number of objects at
// a function.
//
//	awaitobjects PROFILE FUNCTION N
func cmdAwaitObjects(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: awaitobjects profile function n")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	awaitObjects(ts, ts.MkAbs(args[0]), args[1], n)
}

// awaitObjects reads the profile as fast as it can: what it reads meanwhile must be valid.
func awaitObjects(ts *testscript.TestScript, name, function string, n int) {
	for {
		p, err := profile.Read(name)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "not a FiLiP profile") || strings.Contains(err.Error(), "of a header") {
				continue // about to be made
			}
			ts.Fatalf("%v", err)
		}
		total := make(map[string]float64)
		figures(p, []string{function}, total, make(map[string]string))
		if total["objects"] >= float64(n) {
			return
		}
	}
}

// cmdKilled starts a program and kills it with SIGKILL in the middle of its work, some
// times over.
//
//	killed PROFILE PROGRAM [ARG…]
func cmdKilled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: killed profile program [arg...]")
	}
	name := ts.MkAbs(args[0])
	for i := range 5 {
		os.Remove(name)
		cmd := exec.Command(ts.MkAbs(args[1]), args[2:]...)
		cmd.Dir = ts.MkAbs(".")
		cmd.Env = append(os.Environ(), "FILIP_RATE=1", "FILIP_OUT="+name)
		ts.Check(cmd.Start())
		awaitObjects(ts, name, "main.busy", 10000*(i+1))
		ts.Check(cmd.Process.Kill())
		cmd.Wait()
		p, err := profile.Read(name)
		if err != nil {
			ts.Fatalf("after the kill: %v", err)
		}
		if p.Lost > 8 { // one for each goroutine, at most
			ts.Fatalf("after the kill: %d records lost", p.Lost)
		}
	}
}

// scriptT is the key of a script's testscript.T.
type scriptT struct{}

// cmdSmallDisk mounts a small file system on a directory until the end of the script, or
// skips the script where that cannot be done.
//
//	smalldisk DIRECTORY SIZE
func cmdSmallDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: smalldisk directory size")
	}
	dir := ts.MkAbs(args[0])
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+args[1], "tmpfs", dir).CombinedOutput(); err != nil {
		ts.Value(scriptT{}).(testscript.T).Skip(fmt.Sprintf("mount: %v: %s", err, out))
	}
	ts.Defer(func() { exec.Command("umount", dir).Run() })
}

// cmdProfile wants figures of profiles; with several files (a pattern), of their sums.
//
//	profile PATTERN [SITE…] CONDITION…
//	profile PATTERN @FILE
//
// A file has sites and conditions, a line each for what is otherwise a command.
// A SITE is FILE:LINE, FILE:LINE:COLUMN or a function (main.f): the counts are then those of
// the rewritten sites that match any, or of those that are not which match FILE:LINE:0. A CONDITION is a name, an operator and a value without spaces
// in between, as objects=1000, rate>=2, end=exit, dead~500±5% (within 5 % of 500).
func cmdProfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: profile pattern {[site...] condition... | @file}")
	}
	if name, ok := strings.CutPrefix(args[1], "@"); ok {
		for line := range strings.Lines(ts.ReadFile(name)) {
			cmdProfile(ts, neg, append(args[:1:1], strings.Fields(line)...))
		}
		return
	}
	names, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("no file matches %s", args[0])
	}
	var sites, conditions []string
	for _, arg := range args[1:] {
		if strings.ContainsAny(arg, "=~") {
			conditions = append(conditions, arg)
		} else {
			sites = append(sites, arg)
		}
	}
	total := make(map[string]float64)
	texts := make(map[string]string)
	for _, name := range names {
		p, err := profile.Read(name)
		if err != nil {
			ts.Fatalf("%v", err)
		}
		figures(p, sites, total, texts)
	}
	failed := false
	for _, arg := range conditions {
		m := conditionForm.FindStringSubmatch(arg)
		if m == nil {
			ts.Fatalf("cannot read the condition %q", arg)
		}
		if text, ok := texts[m[1]]; ok {
			if (m[2] == "=") != (text == m[3]) {
				ts.Logf("%s is %s, want %s", m[1], text, arg)
				failed = true
			}
			continue
		}
		got, ok := total[m[1]]
		if !ok {
			ts.Fatalf("no figure is called %s", m[1])
		}
		if !holds(got, m[2], m[3]) {
			ts.Logf("%s is %v, want %s", m[1], got, arg)
			failed = true
		}
	}
	if failed {
		for _, name := range slices.Sorted(maps.Keys(total)) {
			ts.Logf("\t%s=%v", name, total[name])
		}
		ts.Fatalf("%s: not as wanted", strings.Join(names, " "))
	}
}

var conditionForm = regexp.MustCompile(`^([a-z_]+)(=|<=|>=|!=|~)(.+)$`)

func holds(got float64, op, value string) bool {
	value, within, _ := strings.Cut(value, "±")
	want, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return false
	}
	switch op {
	case "=":
		return got == want
	case "!=":
		return got != want
	case "<=":
		return got <= want
	case ">=":
		return got >= want
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(within, "%"), 64)
	return err == nil && math.Abs(got-want) <= percent/100*want
}

// figures adds those of p to total, and sets texts.
func figures(p *profile.Profile, sites []string, total map[string]float64, texts map[string]string) {
	match := func(s *format.Site) bool {
		if len(sites) == 0 {
			return true
		}
		for _, want := range sites {
			at := fmt.Sprintf("%s:%d:%d", filepath.Base(s.File), s.Line, s.Column)
			if at == want || rewritten(s.Kind.String()) && (s.Function == want || s.Package == want || strings.HasPrefix(at+":", want+":")) {
				return true
			}
		}
		return false
	}
	s := lifetime.Summarize(p, lifetime.BySite, match)
	for _, g := range s.Groups {
		total["sites"]++
		total["samples"] += float64(g.Samples)
		total["objects"] += g.Objects
		total["bytes"] += g.Bytes
		total["shared"] += g.Shared
		total["survivors"] += g.Survivors
		total["dead"] += g.Objects - g.Survivors
	}
	for _, name := range []string{"sites", "samples", "objects", "bytes", "shared", "survivors", "dead"} {
		total[name] += 0
	}
	for why, n := range p.Dropped {
		total["dropped_"+format.Dropped(why).String()] += float64(n)
	}
	total["level"] += float64(p.Level)
	total["rate"] += p.Rate
	total["rate_now"] += p.EffectiveRate()
	total["lost"] += float64(p.Lost)
	total["missing_blocks"] += float64(p.MissingBlocks)
	total["gc_cycles"] += float64(s.Cycles)
	total["heap_objects"] += float64(s.Heap.Objects)
	total["heap_bytes"] += float64(s.Heap.Bytes)
	total["own_objects"] += float64(s.Own.Objects)
	share, _ := s.Coverage()
	total["coverage"] += share
	total["stack_depth"] += float64(p.Stack)
	total["stacks_lost"] += float64(p.StacksLost)
	total["ticks"] += float64(len(p.Timeline))
	total["census_missed"] += float64(p.Missed)
	total["gc_period"] += float64(p.GCPeriod)
	texts["end"], texts["program"], texts["go_version"] = p.End.String(), p.Program, p.GoVersion
	texts["design"], texts["observer"], texts["goarch"] = p.Design.String(), p.Observer.String(), p.Arch
}
