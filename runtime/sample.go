package runtime

import "unsafe"

// Shape tells collect how to read the word at which a sampled object was found.
type Shape uint32

const (
	ShapeObject Shape = iota // the object's address
	ShapeMap                 // address of a map's header
	ShapeChan                // address of a channel, which holds its buffer or points to it
)

// A Sample is what the slow path knows of an object.
type Sample struct {
	Addr  uintptr // of the object; on the heap or not
	Site  *Site
	Type  unsafe.Pointer // type descriptor of *T for an object of type T; nil: as Site says
	Shape Shape
	Tiny  bool // may be given a slot of its own
}

// take is in runtime/collect, which is linked into every instrumented program. It returns
// the object's new address if it moved, else nil.
//
//go:linkname take filip.take
func take(c *Counter, s Sample) unsafe.Pointer

// Object is the slow path of Ptr, Slice and SliceAt.
//
//go:noinline
func Object(c *Counter, addr uintptr, s *Site) { take(c, Sample{Addr: addr, Site: s}) }

// Tiny is the slow path of TinyPtr and TinySlice.
//
//go:noinline
func Tiny(c *Counter, addr uintptr, s *Site) unsafe.Pointer {
	return take(c, Sample{Addr: addr, Site: s, Tiny: true})
}

// Map is the slow path of Ref and RefAt for maps.
//
//go:noinline
func Map(c *Counter, addr uintptr, s *Site) { take(c, Sample{Addr: addr, Site: s, Shape: ShapeMap}) }

// Chan is the slow path of Ref for channels.
//
//go:noinline
func Chan(c *Counter, addr uintptr, s *Site) { take(c, Sample{Addr: addr, Site: s, Shape: ShapeChan}) }

// ObjectOf is the slow path of PtrOf and SliceOf.
//
//go:noinline
func ObjectOf(c *Counter, p unsafe.Pointer, s *Site, nilPtr any) unsafe.Pointer {
	if q := take(c, Sample{Addr: uintptr(p), Site: s, Type: typeOf(nilPtr), Tiny: true}); q != nil {
		return q
	}
	return p
}

// SliceOfAt is the slow path of SliceAtOf.
//
//go:noinline
func SliceOfAt(c *Counter, addr uintptr, s *Site, nilPtr any) {
	take(c, Sample{Addr: addr, Site: s, Type: typeOf(nilPtr)})
}

// MapOf is the slow path of RefOf and RefAtOf for maps.
//
//go:noinline
func MapOf(c *Counter, addr uintptr, s *Site, nilPtr any) {
	take(c, Sample{Addr: addr, Site: s, Type: typeOf(nilPtr), Shape: ShapeMap})
}

// ChanOf is the slow path of RefOf for channels.
//
//go:noinline
func ChanOf(c *Counter, addr uintptr, s *Site, nilPtr any) {
	take(c, Sample{Addr: addr, Site: s, Type: typeOf(nilPtr), Shape: ShapeChan})
}

func typeOf(nilPtr any) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&nilPtr)) }
