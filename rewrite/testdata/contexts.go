//go:build go1.23

/* A package comment */ package p /* before */ ; import "unsafe" // after

type T struct{ a, b, c int }

func sink(...any) {}

const size = len([3]T{}) + int(unsafe.Sizeof([]int{1}))

var array [cap([4]*T{})]int

func f(n int, t *T) int {
	sink(unsafe.Sizeof(&T{}), unsafe.Alignof([]int{1}), unsafe.Offsetof((&T{}).b), unsafe.Sizeof(make([]int, n)))
	sink(len([2]*T{&T{}}), len([2]*T{g(&T{})}), len(new([4]int)), len(&[2]T{}), len([]int{1, 2}), len(map[int]int{1: 1}))
	for i := range [2]*T{&T{}} {
		sink(i)
	}
	for i := range &[2]*T{g(&T{})} {
		sink(i)
	}
	for range [1]*T{} {
	}
	for _, x := range [2]*T{&T{}} {
		sink(x)
	}
	for i, _ := range [1][]int{{1}} {
		sink(i)
	}
	for range seq(&T{}) {
		sink(&T{}, func() { sink(&T{}) })
	}
	goto end
end:
	return len([...]int{len([1]int{1}): 1}) + g(&T{
		a: 1, // comment
		b: len([]int{
			1, 2,
		}), // comment
	}).a
}

func G[E any](e E) { sink(unsafe.Sizeof(&e), unsafe.Sizeof([]E{e}), len([2]*E{new(E)})) }

func g(t *T) *T { return t }

func seq(t *T) func(func(int) bool) { return func(yield func(int) bool) { sink(&T{}); yield(1) } }
var ( a, b = func() *T { return &T{} }, &T{ c: 1 } ; c = map[string]func(){"": func() { sink(&T{}) }} ) ; func h() { sink(&T{}) ; sink(&T{}) } // last
