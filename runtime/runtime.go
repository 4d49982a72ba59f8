// Package runtime is what instrumented code calls: every allocation site passes its
// result through one of the helpers here, which count down to the next candidate for a
// sample.
//
// It imports nothing but unsafe, so that every package, those of the standard library
// included, can import it without a cycle and without an entry in its importcfg.
//
// A helper is inlined into its caller and must cost little of the caller's inlining
// budget (80): a function that is no longer inlined makes its objects escape, and then
// another program is profiled. A call costs 57, but a call of a parameter only 17; that
// is why the slow path is handed in. The object's address is handed on as an integer: it
// must not escape, neither where the compiler knows the slow path after inlining nor
// where it does not (-gcflags=-l). The helper holds on to the object for as long as
// the slow path needs it.
package runtime

import "unsafe"

// A Site is one entry of a package's site table.
type Site struct {
	ID         uint32 // of the site in the profile file, given at its first sample; 0 before
	Index      uint32 // of this entry in its table
	Meta       uint32 // offset of the description in the table's Meta string
	Candidates uint32 // how often a countdown ran out here; see sampler.Geometric
}

// A Table starts a package's site table: the array of Sites follows it immediately. The
// rewriter emits it as one variable of constants:
//
//	var t = struct {
//		runtime.Table
//		Sites [2]runtime.Site
//	}{runtime.Table{Meta: "…"}, [2]runtime.Site{{Index: 0, Meta: 12}, {Index: 1, Meta: 19}}}
//
// The only pointer in it is that of Meta: a table costs the garbage collector nothing.
type Table struct {
	Meta string // see format.MetaWriter
}

// Table is the table that s is an entry of.
func (s *Site) Table() *Table {
	return (*Table)(unsafe.Add(unsafe.Pointer(s), -int(unsafe.Sizeof(Site{}))*int(s.Index)-int(unsafe.Sizeof(Table{}))))
}

// A Counter counts down to the next candidate of the goroutines whose stacks map to it. It
// fills a cache line; what the slow path keeps per counter is in the same line, because
// who holds the line for one will need the other.
//
// Goroutines that meet on a counter may lose each other's updates. A lost count moves the
// next candidate by one allocation and favours no site. The helpers are marked norace, so that
// the race detector does not report it; with -race they are not inlined.
type Counter struct {
	Left   int64  // allocations until the next candidate, which is due below 0
	Seed   uint64 // state of the random numbers
	Level  uint32 // thinning level for which Left was drawn
	NoHeap uint32 // samples that were on a stack or in static data
	Time   uint64 // when the clock was last read for a birth, ns since the start
	Turn   uint64 // at the scheduler then: who runs, and for the how-manieth time
	Share  uint32 // births that are given that time besides
	Ahead  uint32 // of these, those to come
	_      [64 - 48]byte
}

// Counters are indexed by the caller's stack address: stacks are multiples of 2 KiB,
// so goroutines that run at the same time rarely share a line (0.5 ns per allocation,
// against 2.7 ns for a random draw and 4.6 ns for an atomic). All start at 0, so the first
// allocation of all takes the slow path; that is where collection starts.
var Counters [256]Counter

// Ptr passes on p, the result of &T{…} or new(T). For &[]T{…} and &map[K]V{…} the slow path
// is SliceVar or MapVar, which see to both the variable and what it refers to.
//
//go:norace
func Ptr[T any](p *T, s *Site, slow func(*Counter, uintptr, *Site)) *T {
	c := &Counters[uint8(uintptr(unsafe.Pointer(&s))>>11)]
	if c.Left--; c.Left < 0 {
		slow(c, uintptr(unsafe.Pointer(p)), s)
	}
	return p
}

// Slice passes on x, the result of []T{…} or make([]T, …).
//
//go:norace
func Slice[T any](x []T, s *Site, slow func(*Counter, uintptr, *Site)) []T {
	c := &Counters[uint8(uintptr(unsafe.Pointer(&s))>>11)]
	if c.Left--; c.Left < 0 {
		slow(c, uintptr(unsafe.Pointer(unsafe.SliceData(x))), s)
	}
	return x
}

// Seen watches a slice that was made and filled before: the compiler fuses make and a copy
// that follows, so nothing may stand in between. The slice is in use, so it does not move.
//
//go:norace
func Seen[T any](x []T, s *Site, slow func(*Counter, uintptr, *Site)) {
	c := &Counters[uint8(uintptr(unsafe.Pointer(&s))>>11)]
	if c.Left--; c.Left < 0 {
		slow(c, uintptr(unsafe.Pointer(unsafe.SliceData(x))), s)
	}
}

// Ref passes on r, a map or a channel.
//
//go:norace
func Ref[R any](r R, s *Site, slow func(*Counter, uintptr, *Site)) R {
	c := &Counters[uint8(uintptr(unsafe.Pointer(&s))>>11)]
	if c.Left--; c.Left < 0 {
		slow(c, *(*uintptr)(unsafe.Pointer(&r)), s)
	}
	return r
}

// In generic code the object's type is known only at run time: the helpers below hand it
// on too, as the type of a nil pointer to it.

// PtrOf is Ptr in generic code.
//
//go:norace
func PtrOf[T any](p *T, s *Site, slow func(*Counter, uintptr, *Site, any)) *T {
	c := &Counters[uint8(uintptr(unsafe.Pointer(&s))>>11)]
	if c.Left--; c.Left < 0 {
		slow(c, uintptr(unsafe.Pointer(p)), s, (*T)(nil))
	}
	return p
}

// SliceOf is Slice in generic code.
//
//go:norace
func SliceOf[T any](x []T, s *Site, slow func(*Counter, uintptr, *Site, any)) []T {
	c := &Counters[uint8(uintptr(unsafe.Pointer(&s))>>11)]
	if c.Left--; c.Left < 0 {
		slow(c, uintptr(unsafe.Pointer(unsafe.SliceData(x))), s, (*[]T)(nil))
	}
	return x
}

// SliceAs is SliceOf for a slice type with a name of its own: typ is a nil pointer to it.
//
//go:norace
func SliceAs[S, T any](x []T, typ *S, s *Site, slow func(*Counter, uintptr, *Site, any)) []T {
	c := &Counters[uint8(uintptr(unsafe.Pointer(&s))>>11)]
	if c.Left--; c.Left < 0 {
		slow(c, uintptr(unsafe.Pointer(unsafe.SliceData(x))), s, typ)
	}
	return x
}

// SeenOf is Seen in generic code: S is the slice's type.
//
//go:norace
func SeenOf[S any](x S, s *Site, slow func(*Counter, uintptr, *Site, any)) {
	c := &Counters[uint8(uintptr(unsafe.Pointer(&s))>>11)]
	if c.Left--; c.Left < 0 {
		slow(c, *(*uintptr)(unsafe.Pointer(&x)), s, (*S)(nil))
	}
}

// RefOf is Ref in generic code.
//
//go:norace
func RefOf[R any](r R, s *Site, slow func(*Counter, uintptr, *Site, any)) R {
	c := &Counters[uint8(uintptr(unsafe.Pointer(&s))>>11)]
	if c.Left--; c.Left < 0 {
		slow(c, *(*uintptr)(unsafe.Pointer(&r)), s, (*R)(nil))
	}
	return r
}
