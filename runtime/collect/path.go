package collect

// profilePath expands FILIP_OUT: %p is the process id, %b the program's base name, %% a
// percent sign. fixed: without %p, so that several processes may mean the same file.
func profilePath(pattern string) (path string, fixed bool) {
	if pattern == "" {
		pattern = "%b.%p.filip"
	}
	fixed = true
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '%' || i+1 == len(pattern) {
			path += pattern[i : i+1]
			continue
		}
		i++
		switch pattern[i] {
		case 'p':
			path += decimal(getpid())
			fixed = false
		case 'b':
			path += programName()
		case '%':
			path += "%"
		default:
			path += pattern[i-1 : i+1]
		}
	}
	return path, fixed
}

func decimal(n int) string {
	var buf [20]byte
	i := len(buf)
	for {
		i--
		buf[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(buf[i:])
		}
	}
}
