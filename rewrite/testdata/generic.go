// lang: go1.18

package p

type T struct{ a, b, c int }

type List[E any] struct {
	next *List[E]
	val  E
}

type Number interface{ ~int | ~float64 }

func sink(...any) {}

// Functions whose objects depend on the instantiation, or do not.
func New[E any](v E, n int) *List[E] {
	type local struct{ x int }
	type pair struct{ v E }
	sink(new(E), new(List[E]), &List[E]{val: v}, []E{v}, make([]E, n), make([]E, 0, 8), []*E{&v}, &[]E{v}, &[]E{})
	sink(make(map[string]E), map[int]E{1: v}, make(chan E), &map[int]E{}, []List[E]{{}}, []*List[E]{{}, {val: v}})
	sink(new(int), &T{}, []int{1}, make([]int, n), make(map[string]int), make(chan int))
	sink(&local{}, new(local), []local{{}}, &pair{}, []*pair{{v}})
	sink(func() *E { return new(E) }, struct{ p *E }{p: new(E)})
	return &List[E]{next: &List[E]{}, val: v}
}

func (l *List[E]) Push(v E) *List[E] { return &List[E]{l, v} }

func (l *List[_]) Len() int { return len(make([]int, 100)) }

// Type parameters that are slices, maps, channels themselves.
func Clone[S ~[]E, E any](s S) S {
	r := make(S, len(s))
	copy(r, s)
	t := make(S, len(s), 2*len(s))
	u := S{}
	v := S{s[0]}
	sink(t, u, v, &S{s[0]}, &S{}, []S{{s[0]}}, []*S{{s[0]}})
	return append(S{s[0]}, s...)
}

func Keys[M ~map[K]V, K comparable, V any](m M) []K {
	r := make([]K, 0, len(m))
	sink(make(M), M{}, make(M, 3), &M{}, []M{{}}, map[K]M{})
	return r
}

func Pipe[C ~chan E, E any](n int) C {
	sink(make(C))
	return make(C, n)
}

func Sum[N Number](n N) *N { return new(N) }

type Tree[K comparable, V any] map[K][]V

func (t Tree[K, V]) Add(k K, v V) {
	t[k] = []V{v}
	sink(Tree[K, V]{k: {v}}, make(Tree[K, V]), new(Tree[K, V]))
	f := func() { sink(&List[V]{}, func() { sink(new(K)) }) }
	f()
}

type Stack[E any] []E

func (s Stack[E]) Grow(n int) Stack[E] {
	x := Stack[E]{}
	y := make(Stack[E], n)
	sink(x, y, &Stack[E]{y[0]}, Stack[E]{y[0]}, make(Stack[
		// of
		E], n))
	return Stack[E](nil)
}

func Struct[P interface{ struct{ x int } }]() *P { return &P{} }

func use() {
	New(1, 2).Push(3)
	Clone([]string{"a"})
	Clone(Stack[int]{1})
	Keys(map[string]int{})
	Pipe[chan int](1)
	Sum(1.5)
	Tree[string, int]{}.Add("", 1)
	Stack[T]{}.Grow(1)
	Struct[struct{ x int }]()
	sink(&List[int]{}, []Stack[int]{{1}}, &List[[]T]{})
}
