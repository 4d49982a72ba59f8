package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/filip-go/filip/report"
	"github.com/filip-go/filip/sampler"
	"github.com/filip-go/filip/testdata/demo"
)

const (
	demoRate = "1/1000" // the sampling rate, where FILIP_RATE sets none
	demoTop  = 10       // how many sites to report
)

func prepareDemo(*flag.FlagSet) func([]string) error {
	return func([]string) error {
		if err := runDemo(); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		return nil
	}
}

// runDemo builds and runs the demo program and reports on its profile. Progress goes to
// stderr, the report to stdout.
func runDemo() error {
	rate, err := checkDemo()
	if err != nil {
		return err
	}
	start := time.Now()
	step := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%6.1fs  %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	file, err := profileDemo(step, rate)
	if err != nil {
		return err
	}
	step("filip-inst report -top %d %s", demoTop, file)
	fmt.Fprintln(os.Stderr)
	if err := writeReport([]string{file}, report.Options{Top: demoTop}); err != nil {
		return err
	}
	next(os.Stderr, file)
	return nil
}

// profileDemo builds the demo program in a temporary directory and runs it there. The
// profile, whose name it returns, goes to the working directory.
func profileDemo(step func(format string, args ...any), rate string) (file string, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer stop()
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = errors.New("interrupted")
		}
	}()
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "filip-demo-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)

	step("write the demo program, which queries a CSV file with csvq, to %s", dir)
	if err := demo.Write(dir); err != nil {
		return "", err
	}
	step("go mod download")
	if err := download(ctx, dir); err != nil {
		return "", err
	}
	step("go build -toolexec filip-inst (the first time, a minute or two: the standard library too is compiled)")
	program := filepath.Join(dir, "demo")
	build := demoCommand(ctx, dir, "go", "build", "-toolexec", quote(self), "-o", program, ".")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("go build: %w", err)
	}
	step("FILIP_RATE=%s ./demo", rate)
	run := demoCommand(ctx, dir, program)
	run.Env = append(run.Env, "FILIP_RATE="+rate, "FILIP_OUT="+filepath.Join(strings.ReplaceAll(wd, "%", "%%"), "demo.%p.filip"))
	run.Stdout, run.Stderr = os.Stderr, os.Stderr
	err = run.Run()
	if run.Process != nil {
		file = fmt.Sprintf("demo.%d.filip", run.Process.Pid)
	}
	if err != nil {
		os.Remove(file)
		return "", fmt.Errorf("the demo program: %w", err)
	}
	return file, nil
}

// checkDemo returns the sampling rate, or says why the demo cannot work, before anything
// takes time.
func checkDemo() (rate string, err error) {
	switch platform := runtime.GOOS + "/" + runtime.GOARCH; platform {
	case "linux/amd64", "linux/arm64":
	default:
		return "", fmt.Errorf("profiles can be collected on linux/amd64 and linux/arm64, not on %s", platform)
	}
	rate = os.Getenv("FILIP_RATE")
	if rate == "" {
		rate = demoRate
	}
	if n, ok := sampler.ParseRate(rate); !ok {
		return "", fmt.Errorf("FILIP_RATE=%s is not a sampling rate (1/1000, 1000, 0.001 and 0.1%% are)", rate)
	} else if n == 0 {
		return "", fmt.Errorf("FILIP_RATE=%s turns recording off, so there would be nothing to report", rate)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return "", fmt.Errorf("it needs the go command: %w", err)
	}
	f, err := os.CreateTemp(".", "filip-demo-")
	if err != nil {
		return "", fmt.Errorf("the profile is to be written to the working directory: %w", err)
	}
	f.Close()
	return rate, os.Remove(f.Name())
}

// download fetches the modules that the demo needs, by itself so that a failure to reach them
// is told apart from one to build.
func download(ctx context.Context, dir string) error {
	var stderr bytes.Buffer
	cmd := demoCommand(ctx, dir, "go", "mod", "download")
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		if first == "" {
			first = err.Error()
		}
		return fmt.Errorf("the modules that the demo is built with cannot be downloaded, which the first demo needs the network for: %s", first)
	}
	return nil
}

// demoCommand is a command in dir, with an environment in which the user's settings for
// other builds make no difference.
func demoCommand(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go build removes its files
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GO111MODULE=on", "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "FILIP_PACKAGES=")
	return cmd
}

// quote quotes a file name for -toolexec, which is split at spaces.
func quote(name string) string {
	switch {
	case !strings.ContainsAny(name, " \t\n\r'\""):
		return name
	case !strings.Contains(name, "'"):
		return "'" + name + "'"
	}
	return `"` + name + `"`
}

// next says where the profile is and what to do with it.
func next(w io.Writer, file string) {
	fmt.Fprintf(w, `
The profile is %[1]s. To see more of it:

	filip-inst report -top 0 %[1]s
	filip-inst report -by type -sort survivors %[1]s
	filip-inst report -by function -focus csvq %[1]s
	filip-inst help figures

The same for a program of your own:

	go build -toolexec filip-inst
	FILIP_RATE=1/1000 ./program
	filip-inst report
`, file)
	if _, err := exec.LookPath("filip-inst"); err != nil {
		fmt.Fprint(w, "\n(go install ./cmd/filip-inst installs filip-inst.)\n")
	}
}
