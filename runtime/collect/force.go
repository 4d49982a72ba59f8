package collect

import "github.com/filip-go/filip/format"

// FILIP_GC has a collection run whenever none has ended for a period, so that deaths are known
// to within it. A goroutine of package runtime sees to that.

// forceCycles forces collections from now on. The header says so: the run is not the program's
// own any more.
func forceCycles(period int64) {
	if period == 0 {
		return
	}
	store64(file.u64(format.HeaderGCPeriod), uint64(period))
	startForcer(period)
}

// wakeForcer tells the goroutine that the program lives.
func wakeForcer() {
	const life = 1 // filip_life in the accessor file
	if load(&forcerSaw) != life {
		accessorWakeForcer()
	}
}

// parsePeriod reads FILIP_GC in ns: numbers with units, as time.ParseDuration does; 0 if it is not
// set.
func parsePeriod(s string) (ns int64, ok bool) {
	if s == "" {
		return 0, true
	}
	sum := 0.0
	for s != "" {
		n, digits, point, i := 0.0, 0, false, 0
		parts := 1.0 // n counts ones, tenths, hundredths, …
		for ; i < len(s) && (s[i] == '.' && !point || '0' <= s[i] && s[i] <= '9'); i++ {
			if s[i] == '.' {
				point = true
				continue
			}
			n = n*10 + float64(s[i]-'0')
			digits++
			if point {
				parts *= 10
			}
		}
		unit, length := unitOf(s[i:])
		if digits == 0 || digits > 18 || unit == 0 {
			return 0, false
		}
		sum += n * unit / parts
		s = s[i+length:]
	}
	return int64(sum + 0.5), sum >= 1e6 && sum <= 3600e9
}

// unitOf is the unit of time that s starts with, in ns, and how long its name is; 0 if it
// starts with none.
func unitOf(s string) (ns float64, length int) {
	for length < len(s) && s[length] != '.' && (s[length] < '0' || s[length] > '9') {
		length++
	}
	switch s[:length] {
	case "ns":
		return 1, length
	case "us", "µs", "μs": // with either of the two letters
		return 1e3, length
	case "ms":
		return 1e6, length
	case "s":
		return 1e9, length
	case "m":
		return 60e9, length
	case "h":
		return 3600e9, length
	}
	return 0, length
}
