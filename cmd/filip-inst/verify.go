package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
	"github.com/filip-go/filip/verify"
)

func prepareVerify(fs *flag.FlagSet) func([]string) error {
	all := fs.Bool("all", false, "also print the types that agree, and those allocated without a record")
	asJSON := fs.Bool("json", false, "print JSON, one object with everything")
	out := fs.String("o", "", "write the result to this `file` instead of standard output")
	keep := fs.String("keep", "", "keep the profile and the trace in this `directory`")
	return func(args []string) error {
		if len(args) == 0 {
			return usageError{"filip-inst verify: no program to run (see filip-inst help verify)"}
		}
		result, err := verifyRun(args, *keep)
		if err != nil {
			return err
		}
		write := func(w io.Writer) error {
			if *asJSON {
				return result.WriteJSON(w)
			}
			return result.WriteText(w, *all)
		}
		if err := writeTo(*out, write); err != nil {
			return err
		}
		if result.Disagreements() > 0 {
			return errReported
		}
		return nil
	}
}

// writeTo writes to a file, or to standard output if it has no name.
func writeTo(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(os.Stdout)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// verifyRun runs a program and compares its profile with its trace. Both are in dir, or in a
// temporary directory.
func verifyRun(args []string, dir string) (*verify.Result, error) {
	temporary := dir == ""
	var err error
	if temporary {
		dir, err = os.MkdirTemp("", "filip-verify-")
	} else if dir, err = filepath.Abs(dir); err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return nil, err
	}
	if temporary {
		defer os.RemoveAll(dir)
	}
	pid, err := runTraced(args, dir)
	if err != nil {
		return nil, err
	}
	return compareRun(args[0], dir, pid)
}

// runTraced runs a program to its end and returns its process id.
func runTraced(args []string, dir string) (pid int, err error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	godebug := "traceallocfree=1"
	if set := os.Getenv("GODEBUG"); set != "" {
		godebug = set + "," + godebug
	}
	cmd.Env = append(os.Environ(), "FILIP_RATE=1/1", "GODEBUG="+godebug,
		"FILIP_OUT="+percents(dir)+"/%p.filip", "FILIP_TRACE="+percents(dir)+"/%p.trace")
	if os.Getenv("FILIP_MAX") == "" {
		cmd.Env = append(cmd.Env, "FILIP_MAX=16GiB")
	}
	// ^C is for the program; we clean up after it.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		fmt.Fprintf(os.Stderr, "filip-inst: %s ended with %v\n", args[0], exit)
		err = nil
	}
	if err != nil {
		return 0, fmt.Errorf("run %s: %w", args[0], err)
	}
	return cmd.Process.Pid, nil
}

// percents doubles percent signs, as FILIP_OUT has them.
func percents(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// compareRun compares the profile and the trace in dir of the process with an id. Where the
// program was started by a script, say, they are another process's: then there must be only one.
func compareRun(name, dir string, pid int) (*verify.Result, error) {
	file := filepath.Join(dir, fmt.Sprintf("%d.filip", pid))
	if _, err := os.Stat(file); err != nil {
		files, _ := filepath.Glob(filepath.Join(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir), "*.filip"))
		switch len(files) {
		case 0:
			return nil, fmt.Errorf("%s left no profile: build it with -toolexec filip-inst", name)
		case 1:
			file = files[0]
		default:
			return nil, fmt.Errorf("%s has started %d instrumented processes: verify one of them by itself", name, len(files))
		}
	}
	p, err := profile.Read(file)
	if err != nil {
		return nil, err
	}
	trace, err := os.Open(strings.TrimSuffix(file, ".filip") + ".trace")
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s left no trace of its run: nothing can be compared", name)
	case err != nil:
		return nil, err
	}
	defer trace.Close()
	if p.End != format.EndExit {
		return nil, fmt.Errorf("%s did not return from main or call os.Exit, so the trace of its run is cut: nothing can be compared", name)
	}
	// The live heap is nearly all that this needs, and most of it has no pointers.
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	result, err := verify.Compare(p, verify.Events(bufio.NewReaderSize(trace, 1<<20), p.Mono))
	if err != nil {
		return nil, fmt.Errorf("compare with %s: %w", trace.Name(), err)
	}
	return result, nil
}
