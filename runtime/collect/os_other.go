//go:build !linux || !(amd64 || arm64)

package collect

import "unsafe"

// Where a profile cannot be collected, a program runs as it always did.
const supported = false

type identity struct{}

func getpid() int { return 0 }

func offHeap(size uintptr) unsafe.Pointer { return nil }

func (f *profileFile) create(pattern string, limit int64) bool { return false }
func (f *profileFile) extend(from, to int64) bool              { return false }

func startTrace()   {}
func stopTrace()    {}
func tracing() bool { return false }
