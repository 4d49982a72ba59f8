package rewrite

import (
	"fmt"
	"go/token"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestFunctionNames compares the functions of the sites of a program with what the program
// says about itself. It is compiled without inlining, which gives function literals other
// names where they are inlined along with their function.
func TestFunctionNames(t *testing.T) {
	const name = "testdata/funcname/main.go"
	out, err := exec.Command("go", "run", "-gcflags=-l", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Compact(slices.Sorted(strings.Lines(string(out))))

	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	ex, err := stdExports()
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	imp, err := newImporter(fset, ex)
	if err != nil {
		t.Fatal(err)
	}
	p, err := check(imp, fset, "main", "", []string{name}, [][]byte{src})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Find(p) {
		if f.Site.Type == "main.T" {
			got = append(got, fmt.Sprintf("%d %s\n", f.Site.Line, f.Site.Function))
		}
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("found  %s", line)
			}
		}
		for _, line := range want {
			if !slices.Contains(got, line) {
				t.Errorf("wanted %s", line)
			}
		}
	}
}
