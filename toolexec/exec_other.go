//go:build !unix

package toolexec

// replaceProcess runs a tool to its end; this system cannot replace a process.
func replaceProcess(tool string, args []string) error { return runTool(tool, args) }
