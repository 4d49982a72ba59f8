package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/filip-go/filip/toolexec"
	"github.com/rogpeppe/go-internal/testscript"
)

var (
	long     = flag.Bool("long", false, "run the scripts that take minutes, and the core scripts with Go 1.25")
	keptDir  = flag.String("cache", "", "keep the scripts' build and user caches in this `directory` (default: a temporary one)")
	goBefore = flag.String("gobefore", "go1.25.4", "the older `toolchain` that -long runs the core scripts with")
)

// TestMain makes this binary filip-inst when it is run by that name, so that scripts run
// the real command: the go command finds it on PATH. filip-earlier is one that knows Go 1.24 only.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"filip-inst": main,
		"filip-earlier": func() {
			toolexec.LastKnown = "go1.24"
			main()
		},
	})
}

// TestScript runs the scripts in testdata/script: what a user of the tool meets, compared
// with what the plain go command does. Each says in its first comment which failure it
// guards. Scripts in testdata/long run with -long.
func TestScript(t *testing.T) { runScripts(t, "local", scripts(t)) }

// TestScriptBefore runs the scripts with the older of the two Go versions that we support,
// chosen with GOTOOLCHAIN, while filip-inst is built with the version that runs this test.
func TestScriptBefore(t *testing.T) {
	if !*long {
		t.Skip("needs -long")
	}
	if out, err := exec.Command("go", "version").CombinedOutput(); err != nil {
		t.Fatalf("go version: %v\n%s", err, out)
	}
	cmd := exec.Command("go", "version")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+*goBefore)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%s is not to be had: %v\n%s", *goBefore, err, out)
	}
	runScripts(t, *goBefore, scripts(t))
}

func scripts(t *testing.T) []string {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if *long {
		more, err := filepath.Glob("testdata/long/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	return files
}

func runScripts(t *testing.T, toolchain string, files []string) {
	shared := *keptDir
	if shared == "" {
		shared = t.TempDir()
	}
	env := []string{
		"GOTOOLCHAIN=" + toolchain,
		"GOCACHE=" + filepath.Join(shared, "build"),
		"XDG_CACHE_HOME=" + filepath.Join(shared, "user"),
		"GOMODCACHE=" + goenv(t, "GOMODCACHE"),
		"GOPATH=" + filepath.Join(shared, "gopath"),
		"GOPROXY=off",
		"GOENV=off",
		"GOFLAGS=-buildvcs=false",
		"GOTELEMETRY=off",
		"GOTRACEBACK=single",
		"FILIP_STRICT=1", // a rewrite that does not compile fails the build
	}
	var warm sync.Once
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			// The first script fills the caches with what nearly all need; otherwise two
			// scripts at a time would compile the same packages.
			var err error
			warm.Do(func() { err = warmCaches(slices.Concat(e.Vars, env)) })
			e.Vars = append(e.Vars, env...)
			e.Values[scriptT{}] = e.T()
			return err
		},
		Cmds:                commands,
		Condition:           func(cond string) (bool, error) { return condition(cond, toolchain) },
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
	})
}

// warmCaches compiles the standard packages that nearly all scripts use, plain and
// instrumented.
func warmCaches(env []string) error {
	for _, flags := range [][]string{{}, {"-toolexec=filip-inst"}} {
		cmd := exec.Command("go", slices.Concat([]string{"build"}, flags, []string{"fmt", "log", "runtime/metrics"})...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			return errors.Join(err, errors.New(string(out)))
		}
	}
	return nil
}

func goenv(t *testing.T, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
