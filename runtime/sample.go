package runtime

import "unsafe"

// Shape tells collect how to read the word at which a sampled object was found.
type Shape uint32

const (
	ShapeObject   Shape = iota // the object's address
	ShapeMap                   // address of a map's header
	ShapeChan                  // address of a channel, which holds its buffer or points to it
	ShapeSliceVar              // address of a slice variable; its elements are of the next site
	ShapeMapVar                // address of a map variable; its map is of the next site
)

// A Sample is what the slow path knows of an object.
type Sample struct {
	Addr  uintptr // of the object; on the heap or not
	Site  *Site
	Type  unsafe.Pointer // type descriptor of *T for an object of type T; nil: as Site says
	Shape Shape
	ID    uint32  // of the site, where there is no Site
	Size  uintptr // that was asked for, where there is no Site
}

// take is in runtime/collect, which is linked into every instrumented program.
//
//go:linkname take filip.take
func take(c *Counter, s Sample)

// Object is the slow path of Ptr and Slice.
//
//go:noinline
func Object(c *Counter, addr uintptr, s *Site) { take(c, Sample{Addr: addr, Site: s}) }

// SliceVar is the slow path of Ptr for &[]T{…}: two objects, of the site and the next one in
// its table.
//
//go:noinline
func SliceVar(c *Counter, addr uintptr, s *Site) {
	take(c, Sample{Addr: addr, Site: s, Shape: ShapeSliceVar})
}

// MapVar is the slow path of Ptr for &map[K]V{…}; see SliceVar.
//
//go:noinline
func MapVar(c *Counter, addr uintptr, s *Site) {
	take(c, Sample{Addr: addr, Site: s, Shape: ShapeMapVar})
}

// Map is the slow path of Ref for maps.
//
//go:noinline
func Map(c *Counter, addr uintptr, s *Site) { take(c, Sample{Addr: addr, Site: s, Shape: ShapeMap}) }

// Chan is the slow path of Ref for channels.
//
//go:noinline
func Chan(c *Counter, addr uintptr, s *Site) { take(c, Sample{Addr: addr, Site: s, Shape: ShapeChan}) }

// ObjectOf is the slow path of PtrOf, SliceOf, SliceAs and SeenOf.
//
//go:noinline
func ObjectOf(c *Counter, addr uintptr, s *Site, nilPtr any) {
	take(c, Sample{Addr: addr, Site: s, Type: typeOf(nilPtr)})
}

// SliceVarOf is SliceVar for PtrOf.
//
//go:noinline
func SliceVarOf(c *Counter, addr uintptr, s *Site, nilPtr any) {
	take(c, Sample{Addr: addr, Site: s, Type: typeOf(nilPtr), Shape: ShapeSliceVar})
}

// MapVarOf is MapVar for PtrOf.
//
//go:noinline
func MapVarOf(c *Counter, addr uintptr, s *Site, nilPtr any) {
	take(c, Sample{Addr: addr, Site: s, Type: typeOf(nilPtr), Shape: ShapeMapVar})
}

// MapOf is the slow path of RefOf for maps.
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

// Next is the entry behind s in its table.
func (s *Site) Next() *Site { return (*Site)(unsafe.Add(unsafe.Pointer(s), unsafe.Sizeof(Site{}))) }
