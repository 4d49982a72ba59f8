//go:build go1.26

package collect

// tinyCleanups: cleanups of objects in the tiny allocator's blocks run.
const tinyCleanups = true
