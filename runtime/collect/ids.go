package collect

import "unsafe"

// An idTable gives ids to keys, which are lists of addresses. It is an open-addressing hash
// table off the heap. A slot has the place of a key, 0 if it is free; storing it is what
// commits the key, so nobody waits for anybody.
type idTable struct {
	slots unsafe.Pointer // [size]uint32
	size  uint32         // a power of two

	// Each key is a word with the id and the key's length, and the addresses. The first word is
	// not used.
	keys  unsafe.Pointer // [words]uint64
	words uint64
	used  uint64
}

// create makes room for a table, and for keys of so many words in all. It reports whether it did.
func (t *idTable) create(size uint32, words uint64) bool {
	slots := uintptr(size) * unsafe.Sizeof(uint32(0))
	p := offHeap(slots + uintptr(words)*wordSize)
	if p == nil {
		return false
	}
	t.slots, t.size = p, size
	t.keys, t.words, t.used = unsafe.Add(p, slots), words, 1
	return true
}

const (
	wordSize = unsafe.Sizeof(uint64(0))
	idProbes = 64 // slots that a key may be in
)

// slot is the i-th that a key may be in.
func (t *idTable) slot(hash, i uint64) *uint32 {
	return (*uint32)(unsafe.Add(t.slots, uintptr((hash+i)&uint64(t.size-1))*unsafe.Sizeof(uint32(0))))
}

func (t *idTable) word(i uint64) *uint64 { return (*uint64)(unsafe.Add(t.keys, uintptr(i)*wordSize)) }

func hashKey(key []uintptr) uint64 {
	h := uint64(len(key))
	for _, w := range key {
		h = (h ^ uint64(w)) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	return h
}

// find returns the id of a key, 0 if it has none yet.
func (t *idTable) find(key []uintptr, hash uint64) uint32 {
	for i := range uint64(idProbes) {
		at := load(t.slot(hash, i))
		if at == 0 {
			return 0
		}
		if id := t.at(at, key); id != 0 {
			return id
		}
	}
	return 0
}

// at is the id of the key that stands at a place, 0 if it is not this one.
func (t *idTable) at(at uint32, key []uintptr) uint32 {
	head := *t.word(uint64(at))
	if uint32(head) != uint32(len(key)) {
		return 0
	}
	words := unsafe.Slice((*uintptr)(unsafe.Pointer(t.word(uint64(at)+1))), len(key))
	for i, w := range key {
		if words[i] != w {
			return 0
		}
	}
	return uint32(head >> 32)
}

// add gives a key an id, and returns it: 0 if there is no room. If several goroutines are
// at the same key, all but one make an id in vain.
func (t *idTable) add(key []uintptr, hash uint64, newID func() uint32) uint32 {
	i := uint64(0)
	for load(t.slot(hash, i)) != 0 {
		if i++; i == idProbes {
			return 0
		}
	}
	n := uint64(len(key) + 1)
	at := xadd64(&t.used, int64(n)) - n
	if at+n > t.words {
		return 0
	}
	id := newID()
	if id == 0 {
		return 0
	}
	*t.word(at) = uint64(id)<<32 | uint64(len(key))
	copy(unsafe.Slice((*uintptr)(unsafe.Pointer(t.word(at+1))), len(key)), key)
	for ; i < idProbes; i++ {
		slot := t.slot(hash, i)
		if cas(slot, 0, uint32(at)) {
			return id
		}
		if other := t.at(load(slot), key); other != 0 {
			return other
		}
	}
	return id
}
