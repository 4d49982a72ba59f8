// Program funcname prints for each of its allocation sites the line and the name of the
// function that the runtime says it is in. Package-level initialisers come last, as they
// must run before anything is printed.
package main

import (
	"fmt"
	"runtime"
)

type T struct{ a, b, c int }

func here(*T) *T {
	pc, _, _, _ := runtime.Caller(1)
	f, _ := runtime.CallersFrames([]uintptr{pc + 1}).Next()
	lines = append(lines, fmt.Sprintf("%d %s", f.Line, f.Function))
	return nil
}

var lines []string

func call(f func()) { f() }

type V struct{}
type G[A any] struct{}

func (V) Value()    { here(&T{}); call(func() { here(&T{}) }) }
func (*V) Pointer() { here(&T{}); call(func() { here(&T{}) }) }

func (G[A]) Value() {
	here(&T{})
	call(func() { here(&T{}) })
}

func (*G[A]) Pointer() {
	call(func() {
		here(&T{})
		call(func() {
			here(&T{})
		})
	})
}

func F[A any]() {
	here(&T{})
	call(func() {
		here(&T{})
		call(func() {
			here(&T{})
		})
	})
}

func seq(yield func(int) bool) { _ = yield(1) && yield(2) }

func loops() {
	for range seq {
		here(&T{})
		call(func() {
			here(&T{})
			call(func() {
				here(&T{})
			})
		})
		for range seq {
			here(&T{})
			break
		}
		defer call(func() {
			here(&T{})
		})
		break
	}
	for range seq {
		here(&T{})
		break
	}
	call(func() {
		for range seq {
			here(&T{})
			call(func() {
				here(&T{})
			})
			break
		}
		call(func() {
			here(&T{})
		})
	})
}

func init() { here(&T{}) }

func init() {
	call(func() {
		here(&T{})
	})
}

func main() {
	V{}.Value()
	(&V{}).Pointer()
	G[int]{}.Value()
	(&G[int]{}).Pointer()
	F[int]()
	loops()
	late()
	table[0].f()
	table[1].f()
	call(func() {
		here(&T{})
	})
	for _, line := range lines {
		fmt.Println(line)
	}
}

var late = func() {
	early()
	here(&T{})
}

var early = func() {
	here(&T{})
	call(func() {
		here(&T{})
	})
}

var table = []struct{ f func() }{
	{func() { here(&T{}) }},
	{func() {
		here(&T{})
	}},
}

var value = here(&T{})
