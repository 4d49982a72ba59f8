//go:build linux && (amd64 || arm64) && !go1.26

package collect

import _ "unsafe" // for linkname

//go:linkname syscall6 internal/runtime/syscall.Syscall6
//go:noescape
func syscall6(num, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, errno uintptr)
