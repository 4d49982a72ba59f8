//go:build filip_cycles

package collect

import (
	goruntime "runtime"
	"unsafe"

	"github.com/filip-go/filip/filter"
	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/runtime"
)

// What the runtime allocates for expressions that are not rewritten reaches us through calls that are
// inserted into its sources (see toolexec/runtime_edits.go). Such an allocation's site is where the
// first call returns to that is not in the runtime, nor in reflect: the expression is on that line.

// hookedKinds are those of FILIP_KINDS at build time, bits 1<<format.Kind, and hookedPackages is
// FILIP_PACKAGES.
//
//go:linkname hookedKinds runtime.filip_kinds
var hookedKinds uint32

//go:linkname hookedPackages runtime.filip_packages
var hookedPackages string

// mainPath is the import path of package main.
//
//go:linkname mainPath filip.mainPath
var mainPath string

// hooks reports whether we are told of allocations of a kind.
func hooks(kind format.Kind) bool { return hookedKinds>>kind&1 != 0 }

//go:linkname hookCounters runtime.filip_counters
var hookCounters [256]runtime.Counter

//go:linkname accessorOutside runtime.filip_outside
//go:noescape
func accessorOutside(fp uintptr, classes *[1024]uint64, inside uint64) (pc, above uintptr)

//go:linkname accessorSpell runtime.filip_spell
//go:noescape
func accessorSpell(spell uint32, t unsafe.Pointer, buf []byte) (n int)

// spellBuffer is how the type is spelled where a make allocates a second object: see the accessor.
const spellBuffer = 10

// hookedSites numbers the sites by kind, type and the address that the call returns to, from 1 on.
var (
	hookedSites idTable
	lastHooked  uint32
	hooked      unsafe.Pointer // [maxInstances]hookedSite, by number
)

type hookedSite struct {
	id         uint32 // given at the first sample; 0 before
	candidates uint32 // how often a countdown ran out here; see sampler.Geometric
}

func createHooked() {
	if hooked = offHeap(maxInstances * unsafe.Sizeof(hookedSite{})); hooked != nil {
		hookedSites.create(maxInstances, 4*maxInstances)
	}
}

// takeFrom is take for what the runtime allocates: size bytes at addr. what is the kind, and above it
// how the type is spelled; fp is the frame pointer of its caller, or 0.
//
//go:linkname takeFrom filip.takeFrom
func takeFrom(c *runtime.Counter, what uint32, addr, size uintptr, typ unsafe.Pointer, fp uintptr) {
	if !collecting(c) {
		return
	}
	level, drawn := redraw(c)
	pc, class, maps := callerOutside(fp)
	if maps && what&0xffff == uint32(format.KindMake) { // a directory of tables
		what += uint32(format.KindMap - format.KindMake)
	}
	if !counts(what, class) {
		return
	}
	site := siteOf(what, typ, pc)
	if site == nil {
		drop(format.DroppedTables)
		return
	}
	if k := samplers[drawn].K(); k > 1 && (xadd(&site.candidates, 1)+phase0(unsafe.Pointer(site)))%k != 0 {
		return
	}
	if !outlives(c, drawn, level) {
		return
	}
	notice()
	id := load(&site.id)
	if id == 0 {
		id = writeHooked(pc, what, typ)
		store(&site.id, id)
	}
	born(c, &runtime.Sample{Addr: addr, ID: id, Size: size}, level)
}

// counts reports whether an allocation for code of a class is to be recorded: not if it is one of our own,
// of an expression that is rewritten, or of what the program was built not to see.
func counts(what uint32, class uint64) bool {
	kind := format.Kind(what & 0xffff)
	switch class {
	case 0, returnsOwn, returnsExcluded:
		return false
	case returnsRewritten:
		return hooks(kind) && (kind != format.KindMake || what>>16 == spellBuffer)
	}
	return hooks(kind)
}

// siteOf returns the site of an allocation by a call that returns to pc, nil if there is no room for it.
func siteOf(what uint32, typ unsafe.Pointer, pc uintptr) *hookedSite {
	if hookedSites.slots == nil {
		return nil
	}
	key := [3]uintptr{pc, uintptr(typ), uintptr(what)}
	hash := hashKey(key[:])
	n := hookedSites.find(key[:], hash)
	if n == 0 {
		n = addHooked(&key, hash)
	}
	if n == 0 || n >= maxInstances {
		return nil
	}
	return (*hookedSite)(unsafe.Add(hooked, uintptr(n)*unsafe.Sizeof(hookedSite{})))
}

//go:noinline
func addHooked(key *[3]uintptr, hash uint64) (n uint32) {
	return hookedSites.add(key[:], hash, func() uint32 { return xadd(&lastHooked, 1) })
}

// callerOutside is what the first call returns to that is not in the runtime nor in reflect: where all
// are, that of the last. maps: one before is in the runtime's own for maps. fp is where frame pointers
// start that lead there; 0: they do not.
func callerOutside(fp uintptr) (pc uintptr, class uint64, maps bool) {
	for fp != 0 {
		if pc, fp = accessorOutside(fp, &classes, returnsInside); pc == 0 {
			break
		}
		switch class = classOf(pc); class {
		case returnsInside:
		case returnsMaps:
			maps = true
		default:
			return pc, class, maps
		}
	}
	return callerUnwound()
}

// maxInner is how many calls there may be in the runtime and reflect, and our own, where frame
// pointers are no use.
const maxInner = 40

//go:noinline
func callerUnwound() (pc uintptr, class uint64, maps bool) {
	var buf [maxInner]uintptr
	pcs := buf[:accessorCallers(buf[:])]
	for len(pcs) > 0 && classOf(pcs[0]) == returnsOwn {
		pcs = pcs[1:]
	}
	for _, pc = range pcs {
		class = classOf(pc)
		maps = maps || class == returnsMaps
		if class != returnsInside && class != returnsMaps {
			break
		}
	}
	return pc, class, maps
}

// outside is pcs, what the calls of a stack return to, without the runtime's and reflect's on top, as far
// as there are others.
func outside(pcs []uintptr) []uintptr {
	for i, pc := range pcs {
		if class := classOf(pc); class != returnsInside && class != returnsMaps {
			return pcs[i:]
		}
	}
	return pcs
}

// What kinds of functions calls return to.
const (
	returnsOwn       = 1 + iota // ours
	returnsInside               // of the runtime or reflect
	returnsMaps                 // of the runtime's package for maps
	returnsRewritten            // of a package that is rewritten
	returnsElsewhere            // of one that is not, because the runtime depends on it
	returnsExcluded             // of one that FILIP_PACKAGES leaves out
)

// classes has addresses that calls return to, and below them the class of the function.
var classes [1024]uint64

// classOf is the class of the function that a call returns to, not of one that was inlined there.
func classOf(pc uintptr) uint64 {
	known := &classes[(pc^pc>>10)%uintptr(len(classes))]
	if v := load64(known); v>>3 == uint64(pc) {
		return v & 7
	}
	class := classify(pc)
	store64(known, uint64(pc)<<3|class)
	return class
}

//go:noinline
func classify(pc uintptr) uint64 {
	switch function := accessorFunction(pc); {
	case own(function):
		return returnsOwn
	case hasPrefix(function, "internal/runtime/maps."):
		return returnsMaps
	case inside(function):
		return returnsInside
	}
	var named, unescaped [format.MaxString]byte
	size, file, _, _, _, _ := accessorFrame(pc, 0, named[:])
	name := unsafe.String(&named[0], size)
	if pkg, _ := splitFunction(name, &unescaped); !filter.Includes(hookedPackages, pkg, standard(pkg, file)) {
		return returnsExcluded
	}
	if hasPrefix(name, "internal/stringslite.") {
		return returnsElsewhere
	}
	return returnsRewritten
}

// goFunction is where the code of a function without captured variables starts.
func goFunction(f func()) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

// standard reports whether a package, one of whose files is given, is of the standard library: beside
// package runtime, or, where the names of files are cut, without a dot in its path's first element.
//
//go:noinline
func standard(pkg, file string) bool {
	var named [format.MaxString]byte
	const own = "runtime/proc.go"
	_, known, _, _, _, _ := accessorFrame(goFunction(goruntime.Gosched)+1, 0, named[:])
	if len(known) > len(own) && known[len(known)-len(own):] == own {
		return hasPrefix(file, known[:len(known)-len(own)])
	}
	for i := range len(pkg) {
		switch pkg[i] {
		case '.':
			return false
		case '/':
			return true
		}
	}
	return pkg != "main" && pkg != mainPath
}

// inside reports whether a function belongs to the runtime or reflect.
func inside(function string) bool {
	for _, prefix := range [...]string{"runtime.", "reflect.", "internal/runtime/", "internal/bytealg.", "internal/reflectlite."} {
		if hasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

// writeHooked writes the site entry of an allocation by a call that returns to pc.
//
//go:noinline
func writeHooked(pc uintptr, what uint32, typ unsafe.Pointer) uint32 {
	var spelled, named, unescaped [format.MaxString]byte
	site := format.Site{Kind: format.Kind(what & 0xffff), Bytes: -1}
	site.Type = unsafe.String(&spelled[0], accessorSpell(what>>16, typ, spelled[:]))
	for at := pc; at != 0; {
		size, file, line, outer, _, _ := accessorFrame(at, 0, named[:])
		name := unsafe.String(&named[0], size)
		site.Package, site.Function = splitFunction(name, &unescaped)
		site.File, site.Line = file, int(line)
		if !inside(name) {
			break
		}
		at = outer // reflect.New, inlined into its caller
	}
	return writeSite(site)
}

// splitFunction splits a function's name as runtime.Frame has it into import path, for which there is
// room at buf, and the last element of that with the function's own name.
func splitFunction(name string, buf *[format.MaxString]byte) (pkg, function string) {
	start, end := 0, len(name)
	for i := range len(name) {
		if c := name[i]; c == '/' {
			start = i + 1
		} else if c == '[' || c == '(' { // of type arguments, or a receiver
			break
		}
	}
	for i := start; i < end; i++ {
		if name[i] == '.' {
			end = i
		}
	}
	if name[:end] == "main" && mainPath != "" {
		return mainPath, name
	}
	n := 0
	for i := 0; i < end && n < len(buf); i++ {
		c := name[i]
		if c == '%' && i+2 < end { // the linker escapes dots in the last element, and more
			c = hexDigit(name[i+1])<<4 | hexDigit(name[i+2])
			i += 2
		}
		buf[n] = c
		n++
	}
	return unsafe.String(&buf[0], n), name[start:]
}

func hexDigit(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}
