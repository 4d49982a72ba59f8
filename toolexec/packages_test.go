package toolexec

import (
	"go/build"
	"path/filepath"
	"testing"
)

// What the runtime is built on must never be instrumented; what is built on it is.
func TestRuntimeClosure(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	src := filepath.Join(build.Default.GOROOT, "src")
	for range 2 { // computed, then from the cache
		deps, err := RuntimeClosure(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"runtime", "internal/abi", "internal/runtime/atomic", "internal/runtime/maps", "internal/cpu", "internal/bytealg", "internal/goarch"} {
			if !deps[path] {
				t.Errorf("%s is not among what the runtime is built on", path)
			}
		}
		for _, path := range []string{"errors", "sync", "os", "fmt", "syscall", "unsafe", "reflect", "internal/poll"} {
			if deps[path] {
				t.Errorf("%s is among what the runtime is built on", path)
			}
		}
	}
	if _, err := RuntimeClosure(t.TempDir()); err == nil {
		t.Error("no error for a directory without sources")
	}
}
