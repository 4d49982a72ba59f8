package toolexec

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// The neutral compiler is the toolchain's own, built from the sources in its GOROOT, with a few
// edits: the inliner charges a call of our helpers at the cost of the operand alone, an
// initialiser that is laid out statically without our helpers still is, and -m says nothing of
// them. With it every function can be inlined exactly when it could be before; with the stock
// compiler a helper takes small functions over the inlining budget, their objects escape, and
// another program is profiled. (Without it the allocation tests of math/big, crypto/ed25519,
// reflect and log/slog fail.)
//
// It is built once per Go version, into the user's cache. All packages of a build come from
// one compiler, because the cost of inlining is part of the export data's fingerprint.

// compilerFor returns the compiler to use in place of the compile tool of a toolchain: that
// itself if FILIP_COMPILER says so, or if no neutral one can be had, and why not.
func compilerFor(tool string) (compiler, why string, err error) {
	switch setting := os.Getenv("FILIP_COMPILER"); setting {
	case "stock":
		return tool, "", nil
	case "", "neutral":
		path, err := neutralCompiler(tool)
		var unfit unfitError
		if errors.As(err, &unfit) {
			return tool, unfit.Error(), nil
		}
		return path, "", err
	default:
		return "", "", fmt.Errorf("FILIP_COMPILER=%s is neither stock nor neutral", setting)
	}
}

// An unfitError is why a neutral compiler cannot be built from a toolchain: its sources are
// missing or not those that we know. Another attempt would end the same way.
type unfitError struct{ error }

// neutralPath is where the neutral compiler of a tool is, or belongs.
func neutralPath(tool string) (string, error) {
	st, err := os.Stat(tool)
	if err != nil {
		return "", err
	}
	dir, err := cacheDir()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintln(h, tool, st.Size(), st.ModTime().UnixNano())
	for _, e := range compilerEdits {
		fmt.Fprintln(h, e.file, e.function, e.text, e.behind)
	}
	for _, name := range sortedKeys(neutralSupport) {
		fmt.Fprintln(h, name, neutralSupport[name])
	}
	return filepath.Join(dir, fmt.Sprintf("compile-%x%s", h.Sum(nil)[:12], exeSuffix(tool))), nil
}

// neutralCompiler returns the neutral compiler of a tool, built now unless it is in the cache.
// Builds that run at the same time wait for the first. What does not fit is not tried again
// until the cache is deleted or the edits change.
func neutralCompiler(tool string) (string, error) {
	path, err := neutralPath(tool)
	if err != nil {
		return "", err
	}
	if intact(path) {
		return path, nil
	}
	unlock, err := lockedfile.MutexAt(path + ".lock").Lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	if intact(path) {
		return path, nil
	}
	if why, err := os.ReadFile(path + ".failed"); err == nil {
		return "", unfitError{errors.New(string(why))}
	}
	tell("filip-inst: building a compiler that leaves our helpers out of its inlining budget: once per Go version, about a minute")
	err = buildNeutral(tool, path)
	var unfit unfitError
	if errors.As(err, &unfit) {
		err = errors.Join(err, writeAtomically(path+".failed", []byte(unfit.Error())))
	}
	return path, err
}

// buildNeutral builds the edited compiler. The edits reach the go command as an overlay;
// nothing in GOROOT changes.
func buildNeutral(tool, path string) error {
	goroot := gorootOf(tool)
	tmp, err := os.MkdirTemp(filepath.Dir(path), "neutral-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	replace := make(map[string]string)
	for _, e := range compilerEdits {
		name := filepath.Join(goroot, "src", filepath.FromSlash(e.file))
		from := name
		if to, ok := replace[name]; ok {
			from = to
		}
		src, err := os.ReadFile(from)
		if errors.Is(err, fs.ErrNotExist) {
			return unfitError{err}
		}
		if err != nil {
			return err
		}
		out, err := e.apply(src)
		if err != nil {
			return unfitError{fmt.Errorf("%s: %w", e.file, err)}
		}
		to := filepath.Join(tmp, strings.ReplaceAll(e.file, "/", "_"))
		if err := os.WriteFile(to, out, 0o666); err != nil {
			return err
		}
		replace[name] = to
	}
	for name, text := range neutralSupport {
		_, text, _ = strings.Cut(text, "\n") // without its build constraint
		support := filepath.Join(tmp, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(support, []byte(text), 0o666); err != nil {
			return err
		}
		replace[filepath.Join(goroot, "src", filepath.FromSlash(name))] = support
	}
	out := filepath.Join(tmp, "compile")
	if err := buildOverlaid(tool, tmp, replace, nil, "-o", out, "cmd/compile"); err != nil {
		return err
	}
	return keep(out, path)
}

// buildOverlaid has the go command of a tool's GOROOT build a package, with some of the files there
// replaced. It returns an unfitError if they do not compile.
func buildOverlaid(tool, tmp string, replace map[string]string, env []string, args ...string) error {
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	name := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o666); err != nil {
		return err
	}
	goroot := gorootOf(tool)
	cmd := exec.Command(filepath.Join(goroot, "bin", "go"+exeSuffix(tool)), append([]string{"build", "-overlay", name}, args...)...)
	cmd.Dir = filepath.Join(goroot, "src", "cmd")
	// The go command refuses overlays in its module cache, where a downloaded toolchain
	// lies. The compiler's dependencies are vendored: any other directory will do.
	cmd.Env = slices.Concat(hostEnv(goroot), []string{"GOMODCACHE=" + filepath.Join(tmp, "mod")}, env)
	if text, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		err = fmt.Errorf("go build %s: %w: %s", args[len(args)-1], err, lines[len(lines)-1])
		for _, passing := range []string{syscall.ENOSPC.Error(), "signal: killed"} {
			if strings.Contains(err.Error()+string(text), passing) {
				return err
			}
		}
		return unfitError{err}
	}
	return nil
}

// hostEnv is our environment without the settings of the build at hand: the compiler runs
// here, whatever it compiles for.
func hostEnv(goroot string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		keep := !strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "CGO_") && name != "TOOLEXEC_IMPORTPATH"
		switch name {
		case "GOCACHE", "GOPATH", "GOTMPDIR":
			keep = true
		}
		if keep {
			env = append(env, kv)
		}
	}
	return append(env, "GOROOT="+goroot, "GOTOOLCHAIN=local", "GOENV=off", "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0",
		"GOOS="+goruntime.GOOS, "GOARCH="+goruntime.GOARCH)
}

// gorootOf is GOROOT, given GOROOT/pkg/tool/GOOS_GOARCH/compile.
func gorootOf(tool string) string {
	return filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(tool))))
}
