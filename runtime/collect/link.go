package collect

import "unsafe"

// What collect needs of the runtime beyond its public API. These have had the same names
// and signatures for many versions; what differs between versions is in internals_*.go.

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname gogetenv runtime.gogetenv
func gogetenv(key string) string

//go:linkname write1 runtime.write1
//go:noescape
func write1(fd uintptr, p unsafe.Pointer, n int32) int32

// overrideWrite is called for each write of the runtime's own. (golang.org/x/mobile/app has it
// on Android.)
//
//go:linkname overrideWrite runtime.overrideWrite
var overrideWrite func(fd uintptr, p unsafe.Pointer, n int32) int32

//go:linkname random runtime.rand
func random() uint64

//go:linkname argslice runtime.argslice
var argslice []string

//go:linkname zerobase runtime.zerobase
var zerobase uintptr

//go:linkname store internal/runtime/atomic.Store
//go:noescape
func store(p *uint32, v uint32)

//go:linkname cas internal/runtime/atomic.Cas
//go:noescape
func cas(p *uint32, old, new uint32) bool

//go:linkname xadd internal/runtime/atomic.Xadd
//go:noescape
func xadd(p *uint32, delta int32) uint32

//go:linkname store64 internal/runtime/atomic.Store64
//go:noescape
func store64(p *uint64, v uint64)

//go:linkname cas64 internal/runtime/atomic.Cas64
//go:noescape
func cas64(p *uint64, old, new uint64) bool

//go:linkname xadd64 internal/runtime/atomic.Xadd64
//go:noescape
func xadd64(p *uint64, delta int64) uint64

func getenv(key string) string { return gogetenv(key) }

// pointer turns an address into a pointer. The caller knows that the object is alive.
func pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }
