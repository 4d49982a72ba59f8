//go:build unix

package toolexec

import (
	"os"
	"syscall"
)

// replaceProcess runs a tool in place of this process. It returns only if it cannot.
func replaceProcess(tool string, args []string) error {
	return &os.PathError{Op: "exec", Path: tool, Err: syscall.Exec(tool, append([]string{tool}, args...), os.Environ())}
}
