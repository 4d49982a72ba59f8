package toolexec

import (
	"os"
	"path/filepath"
	"testing"
)

func TestImportcfg(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "importcfg")
	text := "# import config\n" +
		"importmap golang.org/x/net/idna=vendor/golang.org/x/net/idna\n" +
		"packagefile fmt=/cache dir/f=mt.a\n" +
		"\n" +
		"modinfo \"path\\tx\"\n" +
		"packagefile os=/cache/os.a" // no newline
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := readImportcfg(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.archives["fmt"]; got != "/cache dir/f=mt.a" {
		t.Errorf("fmt is in %q", got)
	}
	if got := c.renamed["golang.org/x/net/idna"]; got != "vendor/golang.org/x/net/idna" {
		t.Errorf("idna is %q", got)
	}
	c.add("os", "/other/os.a") // is there already
	c.add("ours", "/our/archive.a")
	if err := c.write(name); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if want := text + "\npackagefile ours=/our/archive.a\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := readImportcfg(filepath.Join(dir, "none")); err == nil {
		t.Error("no error for a file that is not there")
	}
}

// The archive that compile has marked tells link how to go on; any other does not.
func TestLinkMember(t *testing.T) {
	name := filepath.Join(t.TempDir(), "main.a")
	const odd = "!<arch>\n" + "__.PKGDEF       0           0     0     644     3         `\n" + "abc\x00"
	if err := os.WriteFile(name, []byte(odd), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := readLinkMember(name); ok || err != nil {
		t.Errorf("a plain archive: %v, %v", ok, err)
	}
	if err := appendLinkMember(name, toolchain{version: "go1.26.8", flags: []string{"-shared", "-dynlink"}}); err != nil {
		t.Fatal(err)
	}
	goversion, flags, ok, err := readLinkMember(name)
	if err != nil || !ok || goversion != "go1.26.8" || len(flags) != 2 || flags[0] != "-shared" || flags[1] != "-dynlink" {
		t.Errorf("got %q %q %v %v", goversion, flags, ok, err)
	}
	if err := os.WriteFile(name, []byte("\x7fELF"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := readLinkMember(name); ok || err != nil {
		t.Errorf("no archive at all: %v, %v", ok, err)
	}
	if err := os.WriteFile(name, []byte(odd[:60]+"999       `\nabc"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, _ := readLinkMember(name); ok {
		t.Error("a malformed archive has the member")
	}
}
