// lang: go1.18

// Package p has every form of site.
package p // with a comment

import "strings"

type T struct{ a, b, c int }
type P struct{ next *P }
type S []T
type M map[string]*T
type C chan int
type A = S

func sink(...any) {}

func pointers() {
	sink(&T{}, (&T{1, 2, 3}), &(T{}), &P{&P{nil}}, &[3]int{1, 2})
	x := &T{
		a: 1, // one
		b: 2,
		/* end */}
	sink(x, &struct{}{}, &[0]int{}, &struct{ a, b int32 }{}, &strings.Builder{})
}

func slices() {
	sink([]int{1}, []int{1, 2}, []byte{1, 2, 3}, []string{"a"}, []T{}, []struct{}{{}}, []int{5: 1})
	sink(S{{}}, A{{1, 2, 3}}, S{}, &[]int{1, 2}, &[]int{}, &S{{}}, & /* c */ []byte{1})
	for _, x := range []string{"a", "b"} {
		sink(x)
	}
}

func maps() {
	sink(map[string]int{"a": 1}, M{"a": {}, "b": nil}, &map[int]int{}, &M{"": {}})
}

func elided() {
	sink([]*T{{}, {1, 2, 3}, nil}, map[string]*T{"k": {a: 1}}, map[*T]int{{}: 1}, map[T]int{{}: 1})
	sink([][]int{{1}, {}, {1, 2}}, []map[string]int{{"a": 1}, {}}, [][]*T{{{}}}, [2]*[]int{{1}}, []*[2]int{{1}})
	sink([]*S{{{}}}, []S{{{}}}, []*struct{ x, y, z int }{{}}, []**T{}, []*M{{}}, [][2][]int{{{1}}})
	sink([]struct{ p *T }{{&T{}}, {p: &T{}}})
}

func builtins(n int) {
	sink(new(int), new(T), new(*T), new(struct{}), (new)(T))
	sink(make([]int, 3), make([]int, n), make([]int, 0), make([]int, 0, 4), make([]*T, n, 2*n), make([]struct{}, n), make([]T, 1))
	sink(make(map[string]int), make(map[string]int, n), make(chan int), make(chan *T, n), make(S, n), make(M), make(C, 1), make(A, 2))
	var r <-chan int = make(C)
	sink(r)
}

func shadowed() {
	new := func(int) *T { return &T{} }
	make := func(int) []int { return nil }
	sink(new(1), make(1))
}

func everywhere(n int) (r *T) {
	defer sink(&T{})
	go sink(&T{})
	f := func() *T { return &T{} }
	defer func() { sink(&T{}, func() { sink(&T{}) }) }()
	g := (&T{}).method
	switch x := (&T{}); x.a {
	case (&T{a: 1}).a:
		sink(&T{})
	default:
		sink(&T{})
	}
	ch := make(chan *T)
	select {
	case ch <- &T{}:
	case x := <-make(chan int):
		sink(x, &T{})
	}
L:
	for i := 0; i < (&T{}).a; i++ {
		if (&T{}) == r {
			break L
		}
	}
	_ = map[string]func(){"a": func() { sink(&T{}) }}
	_, _ = f, g
	var arr [len([3]int{})]int
	sink(arr, len([2]*T{&T{}}), cap(&[2]int{}), len([]int{1}))
	for range [2]*T{&T{}} {
	}
	for range []*T{&T{}} {
	}
	return &T{}
}

func (t *T) method() *T { return &T{} }
func (t T) value() *T   { return &T{} }

func init() { sink(&T{}) }
func init() { sink(&T{}, func() { sink(&T{}) }) }
