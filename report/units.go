package report

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Estimates are printed with three significant digits, which is more than samples can tell.

// size is a number of bytes in at most 6 characters, in steps of 1024 as pprof has them:
// 512B, 1.50kB, 1.21GB.
func size(bytes float64) string { return scaled(bytes, 1024, "B", "kB", "MB", "GB", "TB", "PB", "EB") }

// count is a number of objects in at most 5 characters: 999, 12.3M.
func count(n float64) string { return scaled(n, 1000, "", "k", "M", "G", "T", "P", "E") }

// scaled is n in the first of the units, each step times the one before, in which it is
// less than step. No program reaches the step above the last.
func scaled(n, step float64, units ...string) string {
	if n < step-0.5 {
		return strconv.FormatFloat(n, 'f', 0, 64) + units[0]
	}
	for _, unit := range units[1:] {
		if n /= step; n < step-0.5 {
			return three(n) + unit
		}
	}
	return ">1Z"
}

// duration is a time of the given ns in at most 6 characters: 45.2ms, 1.23s, 12m34s, 3h07m, 11d.
func duration(ns float64) string {
	switch {
	case ns < 999.5:
		return strconv.FormatFloat(ns, 'f', 0, 64) + "ns"
	case ns < 999.5e3:
		return three(ns/1e3) + "µs"
	case ns < 999.5e6:
		return three(ns/1e6) + "ms"
	case ns < 99.95e9:
		return three(ns/1e9) + "s"
	}
	s := int64(math.Round(ns / float64(time.Second)))
	switch {
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 100*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
	}
	return fmt.Sprintf("%dd", s/(24*3600))
}

// percent is a share in at most 5 characters: 100%, 45.3%, 0.06%.
func percent(share float64) string {
	p := share * 100
	switch {
	case p == 0:
		return "0%"
	case p < 0.01:
		return "<.01%"
	case p >= 99.95:
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	case p >= 9.995:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(p, 'f', 2, 64) + "%"
}

// three is n with three digits, or four from 1000.
func three(n float64) string {
	switch {
	case n >= 99.95:
		return strconv.FormatFloat(n, 'f', 0, 64)
	case n >= 9.995:
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 2, 64)
}

// plural is n followed by the noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}
