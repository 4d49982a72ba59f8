package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/runtime"
)

// entry is an entry being written.
type entry struct {
	head *uint64
	p    unsafe.Pointer // the next byte of the payload
}

// newEntry reserves an entry of a kind with a payload of at most n bytes. Several goroutines
// may reserve at the same time: each has its part of the block to itself.
func (f *profileFile) newEntry(kind uint64, n uintptr) (e entry, ok bool) {
	size := (format.EntryHeadSize + n + 7) &^ 7
	if size > format.BlockSize-format.BlockHeaderSize {
		return entry{}, false
	}
	for range 64 {
		cur := load64(&f.entries)
		if cur != 0 {
			block := f.block(cur - 1)
			if used := xadd64(f.u64(block+format.BlockUsed), int64(size)); used <= format.BlockSize {
				head := f.u64(block + uintptr(used) - size)
				store64(head, uint64(size)|kind<<32|format.EntryMagic<<40)
				return entry{head, unsafe.Add(unsafe.Pointer(head), format.EntryHeadSize)}, true
			}
		}
		next, ok := f.newBlock(format.BlockEntries)
		if !ok {
			return entry{}, false
		}
		cas64(&f.entries, cur, next+1) // a loser's block stays empty
	}
	return entry{}, false
}

// commit makes the entry count.
func (e entry) commit() { store64(e.head, *e.head|format.EntryCommitted) }

func (e *entry) u32(v uint32) {
	*(*uint32)(e.p) = v
	e.p = unsafe.Add(e.p, 4)
}

func (e *entry) u64(v uint64) {
	*(*uint64)(e.p) = v
	e.p = unsafe.Add(e.p, 8)
}

func (e *entry) string(s string) {
	e.u32(uint32(len(s)))
	copy(unsafe.Slice((*byte)(e.p), len(s)), s)
	e.p = unsafe.Add(e.p, len(s))
}

func cut(s string) string {
	if len(s) > format.MaxString {
		return s[:format.MaxString]
	}
	return s
}

// note writes a metadata entry.
func note(key, value string) {
	value = cut(value)
	if e, ok := file.newEntry(format.EntryMeta, uintptr(8+len(key)+len(value))); ok {
		e.string(key)
		e.string(value)
		e.commit()
	}
}

var lastSite uint32 // id of the newest site entry

// siteID returns the id of the site entry for a sample, which it writes at the site's first
// sample: 0 if there is no room for it. Two goroutines may both be first; then one of two
// equal entries is used less.
func siteID(s *runtime.Sample) uint32 {
	if s.Site == nil {
		return s.ID
	}
	if s.Type != nil {
		return instanceID(s)
	}
	if id := load(&s.Site.ID); id != 0 {
		return id
	}
	site := format.ReadSite(s.Site.Table().Meta, s.Site.Meta)
	id := writeSite(site)
	if id != 0 {
		store(&s.Site.ID, id)
	}
	return id
}

func writeSite(site format.Site) uint32 {
	name, function, pkg, typ := cut(site.File), cut(site.Function), cut(site.Package), cut(site.Type)
	n := format.SiteEntryStrings + 4*4 + len(name) + len(function) + len(pkg) + len(typ)
	e, ok := file.newEntry(format.EntrySite, uintptr(n))
	if !ok {
		return 0
	}
	id := xadd(&lastSite, 1)
	e.u32(id)
	e.u32(uint32(site.Line))
	e.u32(uint32(site.Column))
	e.u32(uint32(site.Kind))
	e.u64(uint64(site.Bytes))
	e.string(name)
	e.string(function)
	e.string(pkg)
	e.string(typ)
	e.commit()
	return id
}

// instances gives ids to the sites of generic code: one per site and type.
var instances idTable

const maxInstances = 1 << 16

func instanceID(s *runtime.Sample) uint32 {
	if instances.slots == nil {
		return 0
	}
	key := [2]uintptr{uintptr(unsafe.Pointer(s.Site)), uintptr(s.Type)}
	hash := hashKey(key[:])
	if id := instances.find(key[:], hash); id != 0 {
		return id
	}
	return instances.add(key[:], hash, func() uint32 { return writeInstance(s) })
}

//go:noinline
func writeInstance(s *runtime.Sample) uint32 {
	site := format.ReadSite(s.Site.Table().Meta, s.Site.Meta)
	var buf [format.MaxString]byte
	site.Type = typeName(s.Type, buf[:])
	return writeSite(site)
}
