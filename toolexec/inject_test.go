package toolexec

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIntact(t *testing.T) {
	dir := t.TempDir()
	file, name := filepath.Join(dir, "new"), filepath.Join(dir, "kept")
	if err := os.WriteFile(file, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	if intact(name) {
		t.Error("intact before it is there")
	}
	if err := keep(file, name); err != nil {
		t.Fatal(err)
	}
	if !intact(name) {
		t.Error("not intact once it is kept")
	}
	for _, size := range []int64{6, 0, 8} {
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
		if intact(name) {
			t.Errorf("intact with %d of 7 bytes", size)
		}
	}
	if err := os.Truncate(name+".size", 0); err != nil {
		t.Fatal(err)
	}
	if intact(name) {
		t.Error("intact without its size")
	}
}
