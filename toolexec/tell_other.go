//go:build !linux

package toolexec

import (
	"fmt"
	"os"
)

func tell(line string) { fmt.Fprintln(os.Stderr, line) }
