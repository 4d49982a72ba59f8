package rewrite

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	stdFlag     = flag.Bool("std", false, "rewrite all of the standard library")
	compileFlag = flag.Bool("compile", false, "with -std, also compile the results")
	listFlag    = flag.Bool("left", false, "with -std, print the sites left alone")
)

// A listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir, Name string
	GoFiles, CgoFiles     []string
	Standard              bool
}

func listStd() ([]listed, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,Name,GoFiles,CgoFiles,Standard", "std", "cmd/...")
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var all []listed
	for dec := json.NewDecoder(out); ; {
		var l listed
		if err := dec.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, cmd.Wait()
}

// TestStd rewrites the packages of the standard library and of the go command, those that
// the wrapper leaves alone included, type-checks the results, and compares the position of
// every token. Without -std it takes a few packages.
func TestStd(t *testing.T) {
	var ex exports
	var err error
	if *stdFlag {
		ex, err = listExports("std", "cmd/...")
	} else {
		ex, err = stdExports()
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := listStd()
	if err != nil {
		t.Fatal(err)
	}
	some := []string{"bytes", "encoding/json", "go/types", "maps", "net/http", "reflect", "runtime", "slices", "sync", "text/template", "unicode", "errors"}
	var total stdCount
	total.kinds, total.skips = make(map[string]int), make(map[string]int)
	for _, l := range all {
		if !*stdFlag && !slices.Contains(some, l.ImportPath) || len(l.GoFiles) == 0 || len(l.CgoFiles) > 0 {
			continue
		}
		if err := total.rewrite(t, l, ex); err != nil {
			t.Errorf("%s: %v", l.ImportPath, err)
		}
	}
	t.Logf("%d packages, %d files (%d changed, %d with moved tokens), %d bytes, %d rewritten", total.packages, total.files, total.changed, total.moved, total.bytes, total.grown)
	t.Logf("%.2f ms a file; of it type-checking %.2f, parsing too; rewriting %.2f", ms(total.load+total.took, total.files), ms(total.load, total.files), ms(total.took, total.files))
	t.Logf("%d packages compiled, %d differences in what escapes", total.compiled, total.escapes)
	for _, m := range []map[string]int{total.kinds, total.skips} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			t.Logf("%7d %s", m[name], name)
		}
	}
}

type stdCount struct {
	packages, files, changed, moved, bytes, grown int
	compiled, escapes                             int
	load, took                                    time.Duration
	kinds, skips                                  map[string]int
}

func ms(d time.Duration, n int) float64 { return float64(d.Microseconds()) / 1000 / float64(max(n, 1)) }

func (c *stdCount) rewrite(t *testing.T, l listed, ex exports) error {
	var names []string
	var srcs [][]byte
	for _, name := range l.GoFiles {
		src, err := os.ReadFile(filepath.Join(l.Dir, name))
		if err != nil {
			return err
		}
		names, srcs = append(names, filepath.Join(l.Dir, name)), append(srcs, src)
	}
	fset := token.NewFileSet()
	imp, err := newImporter(fset, vendored(ex, l))
	if err != nil {
		return err
	}
	start := time.Now()
	p, err := check(imp, fset, l.ImportPath, "", names, srcs)
	if err != nil {
		t.Logf("%s: %v", l.ImportPath, err)
		return nil
	}
	c.load += time.Since(start)
	start = time.Now()
	res, err := Rewrite(p)
	c.took += time.Since(start)
	if err != nil {
		return err
	}
	c.add(t, p, res)
	if err := checkPositions(p, res); err != nil {
		c.moved++
		return err
	}
	newNames, newSrcs := rewritten(p, res)
	if *compileFlag && !strings.HasPrefix(l.ImportPath, "cmd/") {
		if err := c.compile(t, p, newNames, newSrcs); err != nil {
			return err
		}
	}
	if l.ImportPath == "unsafe" {
		return nil
	}
	_, err = check(imp, token.NewFileSet(), l.ImportPath, "", newNames, newSrcs)
	return err
}

// compile compiles the original and the rewritten package and compares what the compiler
// says about escapes. A package that does not compile alone, because it has assembly or
// embeds files, is passed over.
func (c *stdCount) compile(t *testing.T, p *Package, names []string, srcs [][]byte) error {
	cfg, err := importcfg()
	if err != nil {
		return err
	}
	var oldSrcs [][]byte
	srcs = slices.Clone(srcs)
	for i, file := range p.Files {
		named := append([]byte("//line "+file.Name+":1:1\n"), file.Src...)
		oldSrcs = append(oldSrcs, named)
		if bytes.Equal(srcs[i], file.Src) {
			srcs[i] = named
		}
	}
	flags := []string{"-std", "-D", "", "-m"}
	want, err := compile(t, p.Path, cfg, flags, names[:len(p.Files)], oldSrcs)
	if err != nil {
		return nil
	}
	got, err := compile(t, p.Path, cfg, flags, names, srcs)
	if err != nil {
		return fmt.Errorf("compile: %v\n%s", err, got)
	}
	c.compiled++
	for _, diff := range compareEscapes(want, got) {
		c.escapes++
		t.Log(diff)
	}
	return nil
}

// vendored resolves the standard library's own vendored imports.
func vendored(ex exports, l listed) exports {
	own := maps.Clone(ex)
	for path, file := range ex {
		if rest, ok := strings.CutPrefix(path, "vendor/"); ok && !strings.HasPrefix(l.ImportPath, "cmd/") {
			own[rest] = file
		} else if rest, ok := strings.CutPrefix(path, "cmd/vendor/"); ok && strings.HasPrefix(l.ImportPath, "cmd/") {
			own[rest] = file
		}
	}
	return own
}

func (c *stdCount) add(t *testing.T, p *Package, res *Result) {
	c.packages++
	c.files += len(p.Files)
	c.changed += len(res.Files)
	for i, text := range res.Files {
		c.bytes += len(p.Files[i].Src)
		c.grown += len(text)
	}
	for _, f := range res.Found {
		if f.Skip == "" {
			c.kinds[f.Site.Kind.String()]++
			continue
		}
		c.skips[f.Skip]++
		if *listFlag && f.Skip != skipStatic && f.Skip != skipEmpty {
			t.Logf("%v: %s %s: %s", f.Pos, f.Site.Kind, f.Site.Type, f.Skip)
		}
	}
}
