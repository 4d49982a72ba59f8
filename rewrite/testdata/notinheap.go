// Types that cannot be allocated, as cgo makes them of C types it knows only by name.
package p

import "runtime/cgo"

type opaque struct{ _ cgo.Incomplete }

type holder struct {
	p *opaque
	n int
}

func sink(...any) {}

func f(p *opaque, n int) {
	sink([]*opaque{p}, make([]*opaque, n), &holder{}, map[*opaque]int{p: 1}, new(*opaque), make(chan *opaque))
	sink([]*opaque{p, p}, &struct{ p, q *opaque }{p, p}, &struct{ p, q, r *opaque }{})
}
