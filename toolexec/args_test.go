package toolexec

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSplitCompile(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		files int
	}{
		{[]string{"-o", "x/_pkg_.a", "-p", "main", "-pack", "a.go", "b c.go"}, 2},
		{[]string{"-o", "dir.go/_pkg_.a", "-pack", "./main.go"}, 1},
		{[]string{"-V=full"}, 0},
		{[]string{"-p", "x.go", "-pack"}, 0},
		{[]string{"-embedcfg", "cfg", "-c=4", "-nolocalimports", "-importcfg", "cfg", "-symabis", "symabis", "-asmhdr", "go_asm.h", "-pack", "a.go"}, 1},
		{[]string{"-importcfg", "cfg", "-pack", "-asmhdr", "go_asm.h", "a.go", "b.go"}, 2},
		{[]string{"-p", "main", "-pack", "./overlay.txt", "./b.go"}, 2},
		{nil, 0},
	} {
		a := splitCompile(tt.args)
		if len(a.files) != tt.files {
			t.Errorf("%q: files %q, want %d of them", tt.args, a.files, tt.files)
		}
		if !slices.Equal(a.list(), tt.args) {
			t.Errorf("%q: put together again it is %q", tt.args, a.list())
		}
	}
}

func TestArguments(t *testing.T) {
	a := splitCompile([]string{"-o", "out", "-p=main", "-lang=go1.17", "-std", "-race=true", "-importcfg", "old", "-complete", "x.go"})
	for name, want := range map[string]string{"o": "out", "p": "main", "lang": "go1.17", "importcfg": "old", "none": ""} {
		if got := a.get(name); got != want {
			t.Errorf("-%s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{"std": true, "race": true, "complete": true, "msan": false, "rac": false} {
		if got := a.has(name); got != want {
			t.Errorf("-%s is set: %v, want %v", name, got, want)
		}
	}
	a.set("importcfg", "new")
	a.set("lang", "go1.18")
	a.set("dwarf", "false")
	want := []string{"-o", "out", "-p=main", "-lang=go1.18", "-std", "-race=true", "-importcfg", "new", "-complete", "-dwarf=false", "x.go"}
	if !slices.Equal(a.list(), want) {
		t.Errorf("got %q, want %q", a.list(), want)
	}
}

// What -gcflags repeats stands behind what cmd/go has set, and wins.
func TestRepeated(t *testing.T) {
	a := splitCompile([]string{"-o", "out", "-lang=go1.25", "-lang", "go1.17", "-pack", "x.go"})
	if got := a.get("lang"); got != "go1.17" {
		t.Errorf("-lang is %s, want go1.17", got)
	}
	a.set("lang", "go1.18")
	want := []string{"-o", "out", "-lang=go1.25", "-lang", "go1.18", "-pack", "x.go"}
	if !slices.Equal(a.list(), want) {
		t.Errorf("got %q, want %q", a.list(), want)
	}
}

func TestResponseFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "args")
	// As cmd/go writes it (work.encodeArg): one to a line, newlines and backslashes escaped.
	if err := os.WriteFile(name, []byte("-o\nout file\n-X=a\\nb\\\\nc\n\nmain.go\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := expandResponseFile([]string{"@" + name})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"-o", "out file", "-X=a\nb\\nc", "", "main.go"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, args := range [][]string{{"-o", "@" + name}, {}, {"x"}} {
		if got, err := expandResponseFile(args); err != nil || !slices.Equal(got, args) {
			t.Errorf("%q: got %q, %v", args, got, err)
		}
	}
	if _, err := expandResponseFile([]string{"@" + name + "x"}); err == nil {
		t.Error("no error for a file that is not there")
	}
}
