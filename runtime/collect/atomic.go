//go:build !(linux && amd64)

package collect

import _ "unsafe" // for linkname

//go:linkname load internal/runtime/atomic.Load
//go:noescape
func load(p *uint32) uint32

//go:linkname load64 internal/runtime/atomic.Load64
//go:noescape
func load64(p *uint64) uint64

// commit stores v after all that was stored before.
func commit(p *uint32, v uint32) { store(p, v) }
