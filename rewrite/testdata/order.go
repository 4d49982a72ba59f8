// Operands that are read after the calls that follow them.
package p

type T struct{ a, b, c int }

type reader struct{ n int }

func (r *reader) next() int { r.n++; return r.n }

var global int

func sink(...any) {}

func inc(p *int) int { *p++; return *p }

func f(r *reader, p *int, xs []int, ch chan int) (*T, int) {
	sink(&T{a: r.n}, r.next())
	sink(&T{a: global}, r.next())
	sink([]int{*p}, <-ch)
	sink([]int{xs[0]}, r.next())
	x := 1
	sink(&T{a: x}, inc(&x))
	sink(&T{a: x}, inc(p))
	sink(&T{a: r.next()}, &T{a: r.n})
	sink(r.next(), &T{a: r.n})
	sink(&T{a: r.n}, len(xs), int64(r.n))
	sink(&T{}, r.next(), make([]int, r.n), r.next())
	sink([]*T{{a: r.n}, {a: r.next()}})
	var v reader
	sink(&T{a: v.n}, v.next())
	y, z := &T{a: r.n}, r.next()
	sink(y, z, func() int { return r.next() })
	if sink(&T{a: r.n}); r.next() > 0 {
		sink(r.next())
	}
	if (&T{a: r.n}).a > 1 {
		sink(r.next())
	}
	return &T{a: r.n}, r.next()
}
