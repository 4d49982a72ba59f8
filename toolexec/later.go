package toolexec

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	filip "github.com/filip-go/filip"
	"github.com/rogpeppe/go-internal/lockedfile"
)

// A version of Go that is later than those we know gets the accessors that need little of
// package runtime, if they compile there; what follows the collector's cycles depends on how it
// works, and is left out. Whether they compile is tried once per Go version and platform.

// LastKnown is the last version of Go whose package runtime we know. Tests change it.
var LastKnown = "go1.26"

func (tc toolchain) later() bool { return version.Compare(version.Lang(tc.version), LastKnown) > 0 }

// verdict is the file that says how the try went: nothing if the accessors compile, else why not.
func (tc toolchain) verdict() (string, error) {
	st, err := os.Stat(tc.compile)
	if err != nil {
		return "", err
	}
	src, err := filip.Sources.ReadFile(accessorFile)
	if err != nil {
		return "", err
	}
	dir, err := cacheDir()
	if err != nil {
		return "", err
	}
	goos, goarch := target()
	h := sha256.New()
	fmt.Fprintln(h, tc.compile, st.Size(), st.ModTime().UnixNano(), goos, goarch)
	h.Write(src)
	return filepath.Join(dir, fmt.Sprintf("accessor-%x", h.Sum(nil)[:12])), nil
}

// fits reports whether the accessors were tried and compile.
func (tc toolchain) fits() bool {
	name, err := tc.verdict()
	if err != nil {
		return false
	}
	why, err := os.ReadFile(name)
	return err == nil && len(why) == 0
}

// try finds out whether the accessors compile, unless that is known already, and why not.
func (tc toolchain) try() (why string, err error) {
	name, err := tc.verdict()
	if err != nil {
		return "", err
	}
	unlock, err := lockedfile.MutexAt(name + ".lock").Lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	known, err := os.ReadFile(name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return string(known), err
	}
	if why, err = tc.compileAccessors(filepath.Dir(name)); err != nil {
		return "", err
	}
	return why, writeAtomically(name, []byte(why))
}

// compileAccessors has the go command compile package runtime with the accessors in an overlay.
// It returns what the compiler says first if they do not compile.
func (tc toolchain) compileAccessors(dir string) (why string, err error) {
	tmp, err := os.MkdirTemp(dir, "accessor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	src, err := filip.Sources.ReadFile(accessorFile)
	if err != nil {
		return "", err
	}
	_, text, _ := strings.Cut(string(src), "\n") // without its build constraint
	file, overlay := filepath.Join(tmp, "accessor.go"), filepath.Join(tmp, "overlay.json")
	goroot := gorootOf(tc.compile)
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(goroot, "src", "runtime", accessorName+".go"): file,
	}})
	if err := errors.Join(err, os.WriteFile(file, []byte(text), 0o666), os.WriteFile(overlay, replace, 0o666)); err != nil {
		return "", err
	}
	goos, goarch := target()
	cmd := exec.Command(filepath.Join(goroot, "bin", "go"+exeSuffix(tc.compile)), "build", "-overlay", overlay, "runtime")
	cmd.Dir = filepath.Join(goroot, "src")
	cmd.Env = append(hostEnv(goroot), "GOMODCACHE="+filepath.Join(tmp, "mod"), "GOOS="+goos, "GOARCH="+goarch)
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return lines[len(lines)-1], nil
}
