//go:build unix

package run

import (
	"os"
	"syscall"
)

func maxRSS(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return int64(u.Maxrss)
	}
	return 0
}
