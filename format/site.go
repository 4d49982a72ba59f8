package format

// Kind is what a site's expression is.
type Kind uint32

const (
	KindComposite Kind = iota + 1 // composite literal
	KindNew                       // new(T), new(expr)
	KindMake                      // make of a slice, map or channel
	KindAppend                    // append that grew, and what it moved off the stack
	KindString                    // concatenation, conversion between strings and slices, bytes of a builder
	KindBox                       // value that an interface was given
	KindMap                       // groups of a map's slots
	KindReflect                   // reflect.New, MakeSlice, MakeMap and the like
	KindVariable                  // variable that is moved to the heap, or several in one object
	KindClosure                   // function literal or method value with what it captures
	KindVariadic                  // slice of the arguments of a variadic function
	NumKinds
)

// String is the kind as it stands in reports and JSON.
func (k Kind) String() string {
	switch k {
	case KindComposite:
		return "composite"
	case KindNew:
		return "new"
	case KindMake:
		return "make"
	case KindAppend:
		return "append"
	case KindString:
		return "string"
	case KindBox:
		return "box"
	case KindMap:
		return "map"
	case KindReflect:
		return "reflect"
	case KindVariable:
		return "variable"
	case KindClosure:
		return "closure"
	case KindVariadic:
		return "variadic"
	}
	return "unknown"
}

// Site describes one allocation expression of the source.
type Site struct {
	File     string // as the compiler was given it, or as //line says
	Line     int    // 1-based
	Column   int    // 1-based, in bytes; 0 unknown
	Function string // as runtime.Func names it, but with the package by its name: main.(*T).Run, main.f.func1
	Package  string // import path
	Kind     Kind
	Type     string // of the object, package paths in full: example.com/a.T, []int
	Bytes    int64  // static size of the object in bytes, -1 where it is known only at run time
}

// A Meta string holds the descriptions of a package's sites. It is a constant of the
// instrumented package, so it costs the program neither start-up work nor anything the
// garbage collector looks at. Offset 0 holds the package's import path; a site is at the
// offset that its table entry names.
//
//	string  = uvarint length, bytes
//	site    = uvarint offset of file, line, column, offset of function, kind, bytes+1, offset of type

// MetaWriter builds a Meta string. The zero value is not usable: call NewMetaWriter.
type MetaWriter struct {
	buf     []byte
	offsets map[string]uint32
}

// NewMetaWriter starts the Meta string of the package with the given import path.
func NewMetaWriter(pkg string) *MetaWriter {
	w := &MetaWriter{offsets: make(map[string]uint32)}
	w.intern(pkg)
	return w
}

func (w *MetaWriter) intern(s string) uint32 {
	if off, ok := w.offsets[s]; ok {
		return off
	}
	off := uint32(len(w.buf))
	w.buf = appendUvarint(w.buf, uint64(len(s)))
	w.buf = append(w.buf, s...)
	w.offsets[s] = off
	return off
}

// Add appends a site and returns its offset. s.Package is the writer's.
func (w *MetaWriter) Add(s Site) uint32 {
	file, function, typ := w.intern(s.File), w.intern(s.Function), w.intern(s.Type)
	off := uint32(len(w.buf))
	for _, v := range [...]uint64{uint64(file), uint64(s.Line), uint64(s.Column), uint64(function),
		uint64(s.Kind), uint64(s.Bytes + 1), uint64(typ)} {
		w.buf = appendUvarint(w.buf, v)
	}
	return off
}

// String is the Meta string so far.
func (w *MetaWriter) String() string { return string(w.buf) }

// ReadSite decodes the site at off of a Meta string. Its strings are parts of meta: nothing
// is allocated. An offset that MetaWriter did not return gives an unspecified Site.
func ReadSite(meta string, off uint32) Site {
	var v [7]uint64
	p := off
	for i := range v {
		v[i], p = uvarint(meta, p)
	}
	return Site{
		File:     readString(meta, uint32(v[0])),
		Line:     int(v[1]),
		Column:   int(v[2]),
		Function: readString(meta, uint32(v[3])),
		Package:  readString(meta, 0),
		Kind:     Kind(v[4]),
		Type:     readString(meta, uint32(v[6])),
		Bytes:    int64(v[5]) - 1,
	}
}

func readString(meta string, off uint32) string {
	n, off := uvarint(meta, off)
	if uint64(off)+n > uint64(len(meta)) {
		return ""
	}
	return meta[off : uint64(off)+n]
}

func appendUvarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func uvarint(s string, off uint32) (uint64, uint32) {
	var v uint64
	for shift := uint(0); off < uint32(len(s)) && shift < 64; shift += 7 {
		b := s[off]
		off++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	return v, off
}
