package toolexec

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/build"
	"go/version"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	filip "github.com/filip-go/filip"
)

// An injected package is one of ours that instrumented programs are built with. It has
// another import path there than in this module: one that no module can have, so that a
// program that uses this module can be instrumented too.
type injected struct {
	dir     string   // in filip.Sources
	imports []string // dirs of other injected packages
	runtime bool     // imports the standard library's runtime
}

const (
	modulePath   = "github.com/filip-go/filip/"
	injectedPath = "github.com/filip-go/filip+inst/"
)

var injectedPackages = []injected{ // in dependency order
	{dir: "filter"},
	{dir: "format"},
	{dir: "sampler"},
	{dir: "runtime"},
	{dir: "runtime/collect", imports: []string{"filter", "format", "sampler", "runtime"}, runtime: true},
}

const runtimePackage = 3 // what instrumented code imports

// A toolchain is what our packages are compiled with and for.
type toolchain struct {
	compile string   // the compile tool
	version string   // as in -goversion: go1.26.8
	flags   []string // of the compile at hand that all packages of a program must share
}

// sharedFlags are the flags of compile that decide how code is addressed. Sanitizers are
// not among them: our packages do without, and so does what they do to the program's memory.
var sharedFlags = []string{"-shared", "-dynlink"}

func newToolchain(compile, goversion string, flags []string) toolchain {
	tc := toolchain{compile: compile, version: goversion}
	for _, f := range sharedFlags {
		if slices.Contains(flags, f) {
			tc.flags = append(tc.flags, f)
		}
	}
	return tc
}

// known reports whether we have accessors for this version of package runtime.
func (tc toolchain) known() bool { return len(tc.accessors()) > 0 }

const accessorFile = "toolexec/accessor/go1.25.go"

// accessors are the files in filip.Sources that are added to package runtime: what every
// profile needs, and what follows the collector's cycles.
func (tc toolchain) accessors() []string {
	switch v := version.Lang(tc.version); {
	case tc.later():
		if tc.fits() {
			return []string{accessorFile}
		}
	case v == "go1.25" || v == "go1.26":
		return []string{accessorFile, "toolexec/accessor/cycles_go1.25.go", "toolexec/accessor/hooks_go1.25.go"}
	}
	return nil
}

// cycles reports whether all of the accessors are there.
func (tc toolchain) cycles() bool { return len(tc.accessors()) > 1 }

// runtimeArchive returns the archive of the package that instrumented code imports.
func (tc toolchain) runtimeArchive() (string, error) {
	return tc.archive(injectedPackages[runtimePackage], "")
}

// archives returns the archives of all injected packages, by import path. stdRuntime is the
// archive of the standard library's runtime that the program is built with.
func (tc toolchain) archives(stdRuntime string) (map[string]string, error) {
	out := make(map[string]string)
	for _, p := range injectedPackages {
		a, err := tc.archive(p, stdRuntime)
		if err != nil {
			return nil, err
		}
		out[injectedPath+p.dir] = a
	}
	return out, nil
}

// archive returns the archive of p, compiled now unless it is in the cache. Compiling is
// deterministic, so processes that compile the same package at the same time, or again
// after the cache was deleted, write the same bytes.
func (tc toolchain) archive(p injected, stdRuntime string) (string, error) {
	files, err := tc.sources(p.dir)
	if err != nil {
		return "", err
	}
	key, err := tc.key(p, files, stdRuntime)
	if err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	archive := filepath.Join(cache, fmt.Sprintf("%s-%x.a", strings.ReplaceAll(p.dir, "/", "-"), key[:12]))
	if intact(archive) {
		return archive, nil
	}
	cfg := &importcfg{text: "# filip-inst\n", archives: map[string]string{}}
	for _, dir := range p.imports {
		dep, err := tc.archive(injectedPackages[slices.IndexFunc(injectedPackages, func(q injected) bool { return q.dir == dir })], "")
		if err != nil {
			return "", err
		}
		cfg.add(injectedPath+dir, dep)
		cfg.text += fmt.Sprintf("importmap %s%s=%s%s\n", modulePath, dir, injectedPath, dir)
	}
	if p.runtime {
		cfg.add("runtime", stdRuntime)
	}
	return archive, tc.compileInjected(p, files, cfg, archive)
}

func (tc toolchain) compileInjected(p injected, files map[string][]byte, cfg *importcfg, archive string) error {
	tmp, err := os.MkdirTemp(filepath.Dir(archive), "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, "out.a")
	cfgName := filepath.Join(tmp, "importcfg")
	if err := cfg.write(cfgName); err != nil {
		return err
	}
	args := []string{"-o", out, "-trimpath", tmp + "=>" + injectedPath + p.dir, "-p", injectedPath + p.dir,
		"-lang=go1.25", "-nolocalimports", "-importcfg", cfgName, "-pack"}
	args = append(args, tc.flags...)
	for _, name := range sortedKeys(files) {
		file := filepath.Join(tmp, name)
		if err := os.WriteFile(file, files[name], 0o666); err != nil {
			return err
		}
		args = append(args, file)
	}
	if err := runTool(tc.compile, args); err != nil {
		return fmt.Errorf("compile %s%s: %w", injectedPath, p.dir, err)
	}
	return keep(out, archive)
}

// key hashes all that the archive of p depends on.
func (tc toolchain) key(p injected, files map[string][]byte, stdRuntime string) ([]byte, error) {
	h := sha256.New()
	st, err := os.Stat(tc.compile)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(h, injectedPath+p.dir, tc.version, tc.compile, st.Size(), st.ModTime().UnixNano(), tc.flags)
	for _, name := range []string{"GOOS", "GOARCH", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GO386", "GOARM", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM", "GOFIPS140"} {
		fmt.Fprintln(h, name, os.Getenv(name))
	}
	if p.runtime {
		id, err := buildID(stdRuntime)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(h, id)
	}
	for _, dir := range p.imports {
		deps, err := tc.sources(dir)
		if err != nil {
			return nil, err
		}
		hashFiles(h, deps)
	}
	hashFiles(h, files)
	return h.Sum(nil), nil
}

func hashFiles(h io.Writer, files map[string][]byte) {
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(files[name]), files[name])
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// sources returns the files of a directory of filip.Sources that belong to the platform and
// the version at hand.
func (tc toolchain) sources(dir string) (map[string][]byte, error) {
	entries, err := filip.Sources.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH = target()
	ctx.JoinPath = path.Join
	ctx.OpenFile = func(name string) (io.ReadCloser, error) { return filip.Sources.Open(name) }
	ctx.ReleaseTags = releaseTags(tc.version)
	if tc.cycles() {
		ctx.BuildTags = []string{"filip_cycles"}
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		match, err := ctx.MatchFile(dir, e.Name())
		if err != nil {
			return nil, err
		}
		if match {
			if files[e.Name()], err = fs.ReadFile(filip.Sources, path.Join(dir, e.Name())); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// releaseTags are the build tags go1.1 to go1.N of a Go version.
func releaseTags(goversion string) []string {
	minor, _ := strconv.Atoi(strings.TrimPrefix(version.Lang(goversion), "go1."))
	var tags []string
	for n := 1; n <= minor; n++ {
		tags = append(tags, "go1."+strconv.Itoa(n))
	}
	return tags
}

// target is the platform that is built for; cmd/go sets both variables for its tools.
func target() (goos, goarch string) {
	goos, goarch = os.Getenv("GOOS"), os.Getenv("GOARCH")
	if goos == "" {
		goos = build.Default.GOOS
	}
	if goarch == "" {
		goarch = build.Default.GOARCH
	}
	return goos, goarch
}

// cacheDir is where our archives and compilers are kept: in the user's cache directory, or
// in the temporary directory for a user without one. It may be deleted at any time.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err == nil {
		dir = filepath.Join(dir, "filip-inst")
	} else { // shared with others
		dir = filepath.Join(os.TempDir(), fmt.Sprint("filip-inst-", os.Getuid()))
	}
	return dir, os.MkdirAll(dir, 0o777)
}

// keep moves a finished file into the cache. Its size is noted first: a crash of the system
// may leave a file behind that has its name but not yet its content.
func keep(file, name string) error {
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	if err := writeAtomically(name+".size", fmt.Append(nil, st.Size())); err != nil {
		return err
	}
	return os.Rename(file, name)
}

// intact reports whether a file is in the cache, in full.
func intact(name string) bool {
	size, err1 := os.ReadFile(name + ".size")
	st, err2 := os.Stat(name)
	return err1 == nil && err2 == nil && string(size) == fmt.Sprint(st.Size())
}

func writeAtomically(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "tmp-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

var buildIDLine = regexp.MustCompile(`(?m)^build id "([^"\n]*)"$`)

// buildID reads the build id in the header of an archive.
func buildID(archive string) (string, error) {
	f, err := os.Open(archive)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return "", err
	}
	m := buildIDLine.FindSubmatch(bytes.TrimSpace(head[:n]))
	if m == nil {
		return "", fmt.Errorf("%s: no build id", archive)
	}
	return string(m[1]), nil
}
