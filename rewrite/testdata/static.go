package p

import (
	"errors"
	"strings"
	"unsafe"
)

type T struct {
	a    int
	next *T
	m    map[string]int
	s    []int
	i    any
	f    func() *T
}

type S []*T

func sink(...any)     {}
func dynamic() int    { return len(names) }
func id(t *T) *T      { return t }
func newT() *T        { return &T{} }
func touch(t *T) *T { sink(t); return t }
func variadic(...any) any { return nil }

// Data of the executable.
var (
	names   = []string{"a", "b"}
	ptr     = &T{a: 1, next: &T{}}
	nested  = []*T{{a: 1}, {next: &T{}}, nil}
	slices  = [][]int{{1}, {2, 3}}
	iface   any = &T{}
	iface2  any = []int{1}
	conv    = (*T)(&T{})
	named   = S{{a: 1}}
	raw     = unsafe.Pointer(&T{})
	partly  = &T{a: dynamic(), s: []int{dynamic()}}
	array   = [2]*T{{}, {}}
	_       = &T{}
	_   any = new(T)
	inlined = id(&T{})
	err     = &struct{ err error }{errors.New("x")}
	fn      = func() *T { return &T{} }
	holder  = T{f: func() *T { return &T{f: func() *T { return &T{} }} }}
)

// Computed when the program starts.
var (
	fresh    = new(T)
	lists    = make([]int, 4)
	ch       = make(chan int)
	called   = touch(&T{})
	called2  = variadic(&T{}, []int{1})
	field    = (&T{a: 1}).a
	index    = []int{1, 2}[dynamic()]
	small    = map[string]int{"a": 1}
	pointers = map[string]*T{"a": {}, "b": &T{a: dynamic()}}
	within   = T{m: map[string]int{"a": 1}, i: map[int]int{}}
	repl     = strings.NewReplacer([]string{"a", "b"}...)
	first, second = two(&T{})
	_        = touch(&T{})
)

func two(t *T) (a, b *T) { return t, t }

// A map with a function of its own, which the linker drops if nobody uses the map.
var droppable = map[string]*T{"a": {}, "b": {}, "c": {}, "d": {}, "e": {a: 1}, "f": {s: []int{1}}}

// As large, but not without effects.
var kept = map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": dynamic()}
