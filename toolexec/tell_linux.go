package toolexec

import (
	"fmt"
	"os"
)

// tell says a line to the user at once. cmd/go drops what `compile -V=full` writes to its
// standard error, and what it writes when it compiles is said again each time the result comes
// from the build cache; so the line goes to the go command's own standard error.
func tell(line string) {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/2", os.Getppid()), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, line)
		return
	}
	defer f.Close()
	fmt.Fprintln(f, line)
}
