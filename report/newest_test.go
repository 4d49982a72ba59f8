package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestNewest(t *testing.T) {
	dir := t.TempDir()
	if _, err := Newest(dir); err == nil || !strings.Contains(err.Error(), "no profile (*.filip) in "+dir) {
		t.Errorf("empty directory: %v", err)
	}
	if _, err := Newest(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("missing directory: %v", err)
	}
	touch := func(name string, age time.Duration) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		when := time.Unix(1735787045, 0).Add(-age)
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
	}
	touch("newer.txt", 0)
	touch("old.1.filip", time.Hour)
	touch("new.2.filip", time.Minute)
	touch("new.3.filip", time.Minute)
	touch("old.4.filip", time.Hour)
	if err := os.Mkdir(filepath.Join(dir, "z.filip"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", filepath.Join(dir, "link.filip")); err != nil {
		t.Log(err)
	}
	got, err := Newest(dir)
	if want := filepath.Join(dir, "new.3.filip"); got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	t.Chdir(t.TempDir())
	if _, err := Newest("."); err == nil || !strings.Contains(err.Error(), "in the current directory") {
		t.Errorf("current directory: %v", err)
	}
}
