// Package p has functions in which no call may be added.
package p

type T struct{ a, b, c int }

//go:nosplit
func nosplit() *T { return &T{} }

// Doc.
//
//go:norace
//go:nosplit

//go:noinline
func detached() *T { return func() *T { return &T{} }() }

//go:noinline
func fine() *T {
	// go:nosplit
	return &T{}
}

type U struct{} // not //go:nosplit

func (*U) method() *T { return new(T) }

//go:uintptrescapes
func uintptrs(p uintptr) *T { return &T{} }

var x = 1

func after() *T { return &T{} }
