package main

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// width is how many columns a report on f may have: $COLUMNS where it is set, those of the
// terminal where f is one, else 80.
func width(f *os.File) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		return n
	}
	return 80
}
