//go:build go1.26

// new of expressions, since Go 1.26.
package p

type T struct{ a, b, c int }

func sink(...any) {}

func f(x int, t T) {
	sink(new(1), new(x), new(t), new(T{1, 2, 3}), new(&T{}), new("a"), new(struct{}{}), new([]int{1}), new(new(int)))
}

func G[E any](e E) { sink(new(e), new(*new(E))) }
