//go:build !go1.26

package collect

// tinyCleanups: cleanups of objects in the tiny allocator's blocks run. With Go 1.25 they never do.
const tinyCleanups = false
