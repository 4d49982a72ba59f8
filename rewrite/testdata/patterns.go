package p

type T struct{ a, b, c int }
type L []byte

var global []int

func sink(...any) {}

func extended(x []int, n int) []int {
	x = append(x, make([]int, n)...)
	x = append(x, (make([]int, n))...)
	x = append(x, make([]int, n, 2*n)...)
	return append(x[:0:0], make([]int, 8)...)
}

func copied(s []T, b []byte, l L, str string) {
	m := make([]T, len(s))
	copy(m, s)
	c := make([]byte, len(b))
	copy(c, b)
	var d []byte
	d = make(L, len(l))
	copy(d, l) // comment
	e := make([]byte, len(str)); copy(e, str); sink(e)
	captured := make([]byte, len(b))
	copy(captured, b)
	func() { sink(captured) }()
	global = make([]int, 8)
	copy(global, s2)
	other := make([]T, len(s))
	copy(m, s)
	withCap := make([]T, len(s), 10)
	copy(withCap, s)
	switch {
	case len(s) > 0:
		m = make([]T, len(s))
		copy(m, s)
	}
	sink(m, c, d, other)
}

var s2 []int

func grown(n int) []string {
	out := []string{"a"}
	for i := 0; i < n; i++ {
		out = append(out, "b")
	}
	return out
}

func leaked(n int) []string {
	out := []string{"a"}
	for i := 0; i < n; i++ {
		out = append(out, "b")
	}
	sink(out)
	return out
}

func once() []string {
	out := []string{"a"}
	out = append(out, "b")
	return out
}

func large() []T {
	var out = []T{{}}
	for len(out) < 10 {
		out = append(out, T{}, T{})
	}
	return out
}

type big [5]int

func elems() []big {
	out := []big{{}}
	for len(out) < 10 {
		out = append(out, big{})
	}
	return out
}
