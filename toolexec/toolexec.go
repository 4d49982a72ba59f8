// Package toolexec is what happens when the go command runs a tool through filip-inst
// (go build -toolexec filip-inst): packages are compiled from rewritten sources, and
// programs are linked with the collector. Every other tool runs as it is.
//
// The protocol: cmd/go runs `filip-inst TOOL ARGS…` for each action. It first asks
// `TOOL -V=full` and makes the answer part of the action's cache key; see version.go. The
// rest is done with the arguments that cmd/go gives `compile` and `link`. There is no
// nested go command and no state between processes but a cache of archives (inject.go).
package toolexec

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// IsTool reports whether arg, the first argument of filip-inst, is a tool to run: cmd/go
// names tools by absolute path, except that Go 1.25 runs "go tool covdata".
func IsTool(arg string) bool { return filepath.IsAbs(arg) || arg == "go" }

// Run runs the tool args[0] with the arguments args[1:] and returns the exit code.
func Run(args []string) int {
	tool, err := exec.LookPath(args[0])
	if err != nil {
		return fail(err)
	}
	args, err = expandResponseFile(args[1:])
	if err != nil {
		return fail(err)
	}
	switch strings.TrimSuffix(filepath.Base(tool), ".exe") {
	case "compile":
		if len(args) == 1 && args[0] == "-V=full" {
			return fail(printVersion(tool))
		}
		return fail(compile(tool, args))
	case "link":
		if len(args) == 1 && args[0] == "-V=full" {
			break
		}
		return fail(link(tool, args))
	}
	return fail(replaceProcess(tool, args))
}

// An exitError is a tool's own failure: it has said what is wrong.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", e.code) }

func fail(err error) int {
	var exit exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.code
	}
	fmt.Fprintf(os.Stderr, "filip-inst: %v\n", err)
	return 1
}

// runTool runs a tool to its end, with our own standard output and error.
func runTool(tool string, args []string) error {
	cmd := exec.Command(tool, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return toolError(cmd.Run())
}

func toolError(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exitError{exit.ExitCode()}
	}
	return err
}

// expandResponseFile reads the arguments from FILE where they are the single argument
// @FILE, one to a line, as cmd/go writes it (newlines and backslashes escaped).
func expandResponseFile(args []string) ([]string, error) {
	if len(args) != 1 || !strings.HasPrefix(args[0], "@") {
		return args, nil
	}
	data, err := os.ReadFile(args[0][1:])
	if err != nil {
		return nil, err
	}
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n")
	var out []string
	for line := range strings.Lines(string(data)) {
		out = append(out, unescape.Replace(strings.TrimSuffix(line, "\n")))
	}
	return out, nil
}
