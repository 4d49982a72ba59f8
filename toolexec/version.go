package toolexec

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"go/version"
	"io"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
)

// printVersion answers `compile -V=full`. cmd/go takes the line as the identity of the
// compiler: appended to the tool's own is a hash of all that can change what a compile
// through us writes, so that a warm build recompiles nothing and a changed setting recompiles all.
// For a release cmd/go takes the whole line; for a development version only the last field,
// buildID=…, of which it takes what is behind the last slash.
//
// The tool that links needs no stamp: it links what compile has marked.
func printVersion(tool string) error {
	cmd := exec.Command(tool, "-V=full")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return toolError(err)
	}
	line := strings.TrimSpace(string(out))
	fields := strings.Fields(line)
	if len(fields) < 3 || fields[0] != "compile" || fields[1] != "version" {
		return fmt.Errorf("%s -V=full: unexpected answer %q", tool, line)
	}
	compiler := tool
	tc := newToolchain(tool, fields[2], nil)
	why := ""
	if tc.later() || tc.known() {
		if err := checkVersion(fields[2]); err != nil {
			return err
		}
	}
	if tc.later() {
		if why, err = tc.try(); err != nil {
			return err
		}
		if why == "" {
			tell("filip-inst: " + fields[2] + " is later than " + LastKnown + ", the last that this filip-inst knows: deaths are observed by cleanups, which cost more than a census")
		} else {
			why = ": " + why
		}
	}
	if _, err := settingKinds(); err != nil {
		return err
	}
	if tc.known() {
		why := ""
		if compiler, why, err = compilerFor(tool); err != nil {
			return err
		}
		if why != "" {
			tell("filip-inst: no compiler that leaves our helpers out of its inlining budget (" + why + "): with the stock one some objects escape that would not")
		}
	} else {
		tell("filip-inst: built without instrumentation, as " + fields[2] + " is neither Go 1.25 nor Go 1.26: the program records nothing" + why)
	}
	stamp, err := stamp(fmt.Sprint(line, " neutral=", compiler != tool, " ", tc.accessors()))
	if err != nil {
		return err
	}
	fmt.Printf("%s filip-inst buildID=_/_/_/%s\n", line, stamp)
	return nil
}

// checkVersion rejects a toolchain that is newer than the one we were built with: our
// type checker would not know its language.
func checkVersion(tool string) error {
	ours := goruntime.Version()
	if version.IsValid(tool) && version.IsValid(ours) && version.Compare(version.Lang(tool), version.Lang(ours)) > 0 {
		return fmt.Errorf("built with %s, but this build uses %s: build filip-inst with %s (GOTOOLCHAIN=%s go install …)", ours, tool, tool, tool)
	}
	return nil
}

// stamp hashes all that decides what a compile through us writes: the compiler, this binary
// (and with it the sources it injects), and the settings.
func stamp(compiler string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, compiler)
	for _, name := range []string{"FILIP_PACKAGES", "FILIP_KINDS", "FILIP_STRICT"} {
		fmt.Fprintf(h, "%s=%s\n", name, os.Getenv(name))
	}
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(exe)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:15]), nil
}
