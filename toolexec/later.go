package toolexec

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
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
	err = tc.compileAccessors(filepath.Dir(name))
	var unfit unfitError
	if err != nil && !errors.As(err, &unfit) {
		return "", err
	}
	if err != nil {
		why = unfit.Error()
	}
	return why, writeAtomically(name, []byte(why))
}

// compileAccessors has the go command compile package runtime with the accessors in an overlay. It
// returns an unfitError if they do not compile.
func (tc toolchain) compileAccessors(dir string) error {
	tmp, err := os.MkdirTemp(dir, "accessor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	src, err := filip.Sources.ReadFile(accessorFile)
	if err != nil {
		return err
	}
	_, text, _ := strings.Cut(string(src), "\n") // without its build constraint
	file := filepath.Join(tmp, "accessor.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return err
	}
	goos, goarch := target()
	added := filepath.Join(gorootOf(tc.compile), "src", "runtime", accessorName+".go")
	return buildOverlaid(tc.compile, tmp, map[string]string{added: file}, []string{"GOOS=" + goos, "GOARCH=" + goarch}, "runtime")
}
