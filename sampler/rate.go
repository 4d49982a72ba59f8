package sampler

// ParseRate reads a sampling rate as FILIP_RATE gives it: a fraction (1/1000), a mean gap
// (1000), a probability (0.001) or a percentage (0.1%). It returns the mean gap N ≥ 1, or
// 0 for off (an empty string, 0, 0%). What is no rate, or more than 1/1, is not ok.
func ParseRate(s string) (n float64, ok bool) {
	if s == "" {
		return 0, true
	}
	if s[len(s)-1] == '%' {
		v, ok := parseFloat(s[:len(s)-1])
		return gap(v/100, ok)
	}
	for i := range len(s) {
		if s[i] == '/' {
			num, ok1 := parseFloat(s[:i])
			den, ok2 := parseFloat(s[i+1:])
			return gap(num/den, ok1 && ok2 && den > 0)
		}
	}
	v, ok := parseFloat(s)
	if v >= 1 {
		return v, ok && v <= maxGap
	}
	return gap(v, ok)
}

// maxGap keeps every gap far from the end of an int64.
const maxGap = 1e15

func gap(p float64, ok bool) (float64, bool) {
	if p == 0 {
		return 0, ok
	}
	return 1 / p, ok && p <= 1 && p >= 1/maxGap
}

// parseFloat reads digits with an optional fraction and an optional exponent of ten. (The
// package imports nothing, strconv included.)
func parseFloat(s string) (v float64, ok bool) {
	i, digits, exp := 0, 0, 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		v = v*10 + float64(s[i]-'0')
		digits++
	}
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
			v = v*10 + float64(s[i]-'0')
			digits++
			exp--
		}
	}
	if digits == 0 || digits > 30 {
		return 0, false
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		negative := i < len(s) && s[i] == '-'
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		e := 0
		if i == len(s) {
			return 0, false
		}
		for ; i < len(s) && '0' <= s[i] && s[i] <= '9' && e < 1000; i++ {
			e = e*10 + int(s[i]-'0')
		}
		if negative {
			e = -e
		}
		exp += e
	}
	if i < len(s) || exp > 300 || exp < -300 {
		return 0, false
	}
	ten := 1.0
	for range max(exp, -exp) {
		ten *= 10
	}
	if exp < 0 {
		return v / ten, true
	}
	return v * ten, true
}
