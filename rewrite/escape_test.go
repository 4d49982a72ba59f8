package rewrite

import (
	"slices"
	"strings"
)

// compareEscapes compares what the compiler says with -m about the heap for an original
// package and for the rewritten one, and returns the lines that only one of them has.
func compareEscapes(want, got string) []string {
	count := make(map[string]int)
	for line := range strings.Lines(want) {
		if aboutHeap(line) {
			count[line]++
		}
	}
	for line := range strings.Lines(got) {
		if aboutHeap(line) && !strings.Contains(line, aliasName) {
			count[line]--
		}
	}
	var diffs []string
	for line, n := range count {
		if n > 0 {
			diffs = append(diffs, "lost: "+strings.TrimSpace(line))
		} else if n < 0 {
			diffs = append(diffs, "new: "+strings.TrimSpace(line))
		}
	}
	slices.Sort(diffs)
	return diffs
}

func aboutHeap(line string) bool {
	return strings.Contains(line, "escape") || strings.Contains(line, "moved to heap")
}
