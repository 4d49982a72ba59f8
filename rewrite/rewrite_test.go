package rewrite

import (
	"bytes"
	"flag"
	"fmt"
	"go/build"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	code := m.Run()
	if cfg, err := importcfg(); err == nil {
		os.RemoveAll(filepath.Dir(cfg))
	}
	os.Exit(code)
}

// TestGolden rewrites each file of testdata, a package of its own, compares the result and
// the list of sites with the golden file, and compiles it. A comment "lang: go1.18" in it
// says at which language versions it compiles, other than the current one.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	ex, err := stdExports()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := importcfg()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".go"), func(t *testing.T) {
			if ok, err := build.Default.MatchFile("testdata", filepath.Base(name)); !ok {
				t.Skip("not for this version of Go", err)
			}
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fset := token.NewFileSet()
			imp, err := newImporter(fset, ex)
			if err != nil {
				t.Fatal(err)
			}
			p, err := check(imp, fset, "example.com/p", "", []string{filepath.Base(name)}, [][]byte{src})
			if err != nil {
				t.Fatal(err)
			}
			res, err := Rewrite(p)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			for _, f := range res.Found {
				fmt.Fprintf(&got, "%v: %s %s %d %s", f.Pos, f.Site.Kind, f.Site.Type, f.Site.Bytes, f.Site.Function)
				if f.Skip != "" {
					fmt.Fprintf(&got, " (%s)", f.Skip)
				}
				got.WriteByte('\n')
			}
			if err := checkPositions(p, res); err != nil {
				t.Error(err)
			}
			names, srcs := rewritten(p, res)
			for i, name := range names {
				if name == tableName && bytes.Count(srcs[i], []byte("\n")) > 20 {
					continue // as in the small ones
				}
				fmt.Fprintf(&got, "-- %s --\n%s\n", name, srcs[i])
			}
			golden := strings.TrimSuffix(name, ".go") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if want, err := os.ReadFile(golden); err != nil {
				t.Error(err)
			} else if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("differs from %s (-update accepts it):\n%s", golden, got.Bytes())
			}
			for _, lang := range append(langs(src), "") {
				var flags []string
				if lang != "" {
					flags = append(flags, "-lang="+lang)
				}
				if out, err := compile(t, "example.com/p", cfg, flags, names, srcs); err != nil {
					t.Errorf("compile %v: %v\n%s", flags, err, out)
				}
			}
		})
	}
}

var langComment = regexp.MustCompile(`(?m)^// lang: (.*)$`)

func langs(src []byte) []string {
	if m := langComment.FindSubmatch(src); m != nil {
		return strings.Fields(string(m[1]))
	}
	return nil
}
