//go:build ignore

package runtime

import (
	"internal/abi"
	"internal/runtime/maps"
	"unsafe"
)

// What the runtime allocates for expressions that are not rewritten: appended to package runtime of
// Go 1.25 and 1.26, and called there by what is inserted into its sources (see runtime_edits.go in
// toolexec). A call counts down to the next candidate, like the helpers of package
// runtime of FiLiP's; the rest is in runtime/collect.

// Kinds, as format.Kind numbers them.
const (
	filip_kindMake = 3 + iota
	filip_kindAppend
	filip_kindString
	filip_kindBox
	filip_kindMap
	filip_kindReflect
	filip_kindVariable
	filip_kindClosure
	filip_kindVariadic
)

// How a type that is handed on is to be spelled.
const (
	filip_spellType   = iota // as it is
	filip_spellSlice         // as that of a slice's elements
	filip_spellGroup         // as that of a map's group of slots
	filip_spellString        // there is none: a string
	filip_spellBytes         // a []byte
	filip_spellRunes         // a []rune
	filip_spellSome          // a slice, but of what is not known
	filip_spellArray         // as a slice of the array's elements
	filip_spellFunc          // a function
	filip_spellVars          // several variables
	filip_spellBuffer        // as that of a channel's elements
)

// filip_counters are like the Counters of the helpers, but one belongs to a P: no goroutine is
// preempted in package runtime.
//
//go:linkname filip_counters
var filip_counters [256]filip_counter

type filip_counter struct {
	left int64
	_    [64 - 8]byte
}

//go:linkname filip_make_mallocgc
func filip_make_mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
	spell := uint32(filip_spellSlice)
	if typ == nil {
		spell = filip_spellBytes
	}
	return filip_allocated(filip_kindMake, spell, mallocgc(size, typ, needzero), size, typ)
}

//go:linkname filip_bytes_mallocgc
func filip_bytes_mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
	return filip_allocated(filip_kindString, filip_spellBytes, mallocgc(size, typ, needzero), size, nil)
}

// filip_reflect_chan is given what reflect.MakeChan has made.
func filip_reflect_chan(t *chantype, c *hchan) *hchan {
	filip_allocated(filip_kindReflect, filip_spellType, unsafe.Pointer(c), unsafe.Sizeof(*c), &t.Type)
	return c
}

// filip_reflect_map is given what reflect.MakeMap has made, and the type.
func filip_reflect_map(t unsafe.Pointer, m *maps.Map) *maps.Map {
	filip_allocated(filip_kindReflect, filip_spellType, unsafe.Pointer(m), unsafe.Sizeof(*m), (*_type)(t))
	return m
}

// The compiler calls the functions below in place of newobject, mallocgc and those for one size: see
// neutral/ssagen.go in toolexec.

//go:linkname filip_variable_newobject
func filip_variable_newobject(typ *_type) unsafe.Pointer {
	return filip_allocated(filip_kindVariable, filip_spellType, newobject(typ), typ.Size_, typ)
}

//go:linkname filip_variable_mallocgc
func filip_variable_mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
	spell := uint32(filip_spellType)
	if typ == nil {
		spell = filip_spellVars
	}
	return filip_allocated(filip_kindVariable, spell, mallocgc(size, typ, needzero), size, typ)
}

//go:linkname filip_closure_newobject
func filip_closure_newobject(typ *_type) unsafe.Pointer {
	return filip_allocated(filip_kindClosure, filip_spellFunc, newobject(typ), typ.Size_, typ)
}

//go:linkname filip_closure_mallocgc
func filip_closure_mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
	return filip_allocated(filip_kindClosure, filip_spellFunc, mallocgc(size, typ, needzero), size, typ)
}

//go:linkname filip_variadic_newobject
func filip_variadic_newobject(typ *_type) unsafe.Pointer {
	return filip_allocated(filip_kindVariadic, filip_spellArray, newobject(typ), typ.Size_, typ)
}

//go:linkname filip_variadic_mallocgc
func filip_variadic_mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
	return filip_allocated(filip_kindVariadic, filip_spellArray, mallocgc(size, typ, needzero), size, typ)
}

//go:linkname filip_bytes_newobject
func filip_bytes_newobject(typ *_type) unsafe.Pointer {
	return filip_allocated(filip_kindString, filip_spellBytes, newobject(typ), typ.Size_, nil)
}

//go:linkname filip_table_newobject
func filip_table_newobject(typ *_type) unsafe.Pointer {
	return filip_allocated(filip_kindMap, filip_spellType, newobject(typ), typ.Size_, typ)
}

//go:linkname filip_table_mallocgc
func filip_table_mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
	return filip_allocated(filip_kindMap, filip_spellType, mallocgc(size, typ, needzero), size, typ)
}

// filip_allocated counts an allocation of size bytes at p, which it returns.
func filip_allocated(kind, spell uint32, p unsafe.Pointer, size uintptr, typ *_type) unsafe.Pointer {
	if pp := getg().m.p.ptr(); pp != nil {
		c := &filip_counters[uint8(pp.id)]
		if c.left--; c.left < 0 {
			filip_due(c, kind|spell<<16, p, size, typ)
		}
	}
	return p
}

// filip_due hands a candidate on, but not from where Go code must not run: then the next
// allocation is one.
//
//go:noinline
func filip_due(c *filip_counter, what uint32, p unsafe.Pointer, size uintptr, typ *_type) {
	gp := getg()
	if mp := gp.m; gp != mp.curg || gp.throwsplit || mp.locks != 0 || mp.mallocing != 0 || mp.preemptoff != "" || mp.throwing != 0 || mp.dying != 0 {
		return
	}
	fp := getfp()
	if gp._panic != nil || gp.m.hasCgoOnStack() {
		fp = 0 // see filip_callers
	}
	filip_take(c, what, uintptr(p), size, typ, fp)
	KeepAlive(p)
}

//go:linkname filip_take filip.takeFrom
func filip_take(c *filip_counter, what uint32, p, size uintptr, typ *_type, fp uintptr)

// filip_outside follows the frame pointers from fp on and returns the first address that a call
// returns to, unless classes has it as one within the runtime, and where to go on; 0 at the end of the
// stack. A class is below the address, 3 bits wide, where its hash says.
//
//go:linkname filip_outside
func filip_outside(fp uintptr, classes *[1024]uint64, inside uint64) (pc, above uintptr) {
	const word = unsafe.Sizeof(uintptr(0))
	for stack := getg().stack; stack.lo <= fp && fp < stack.hi-word; {
		pc = *(*uintptr)(unsafe.Pointer(fp + word))
		if above = *(*uintptr)(unsafe.Pointer(fp)); above <= fp {
			above = 0
		}
		if classes[(pc^pc>>10)%1024] != uint64(pc)<<3|inside {
			return pc, above
		}
		fp = above
	}
	return 0, 0
}

// filip_spell writes the name of what filip_allocated was given to buf, as far as there is room, and
// returns how long it is.
//
//go:linkname filip_spell
func filip_spell(spell uint32, t *_type, buf []byte) (n int) {
	b := buf[:0]
	switch spell {
	case filip_spellSlice:
		b = filip_append(b, "[]")
	case filip_spellString:
		return len(filip_append(b, "string"))
	case filip_spellBytes:
		return len(filip_append(b, "[]byte"))
	case filip_spellRunes:
		return len(filip_append(b, "[]int32"))
	case filip_spellSome:
		return len(filip_append(b, "[]?"))
	case filip_spellBuffer:
		b = filip_append(b, "chan ")
	case filip_spellFunc:
		return len(filip_append(b, "func"))
	case filip_spellVars:
		return len(filip_append(b, "variables"))
	case filip_spellArray:
		if t.Kind() == abi.Array {
			b, t = filip_append(b, "[]"), (*abi.ArrayType)(unsafe.Pointer(t)).Elem
		}
	case filip_spellGroup:
		if key, elem := filip_slot(t); key != nil {
			b = filip_appendType(filip_append(b, "map["), key)
			return len(filip_appendType(filip_append(b, "]"), elem))
		}
	}
	switch t { // what values of other types are converted with, too
	case uint16Type:
		return len(filip_append(b, "16-bit value"))
	case uint32Type:
		return len(filip_append(b, "32-bit value"))
	case uint64Type:
		return len(filip_append(b, "64-bit value"))
	case stringType:
		return len(filip_append(b, "string"))
	case sliceType:
		return len(filip_append(b, "slice"))
	}
	return len(filip_appendType(b, t))
}

// filip_slot returns the types of the keys and elements in a map's group of slots: nil if it does not
// look like one.
func filip_slot(t *_type) (key, elem *_type) {
	if t.Kind() != abi.Struct {
		return nil, nil
	}
	fields := (*abi.StructType)(unsafe.Pointer(t)).Fields
	if len(fields) != 2 || fields[1].Typ.Kind() != abi.Array {
		return nil, nil
	}
	slot := (*abi.ArrayType)(unsafe.Pointer(fields[1].Typ)).Elem
	if slot.Kind() != abi.Struct {
		return nil, nil
	}
	if fields = (*abi.StructType)(unsafe.Pointer(slot)).Fields; len(fields) < 2 {
		return nil, nil
	}
	return fields[0].Typ, fields[1].Typ
}
