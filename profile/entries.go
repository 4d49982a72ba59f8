package profile

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/filip-go/filip/format"
)

// errShort says that an entry ends before its fields do.
var errShort = errors.New("entry ends before its fields do")

var errTime = errors.New("entry has a time that no run reaches")

// A siteKey is what makes two site entries the same site.
type siteKey struct {
	file, function, pkg, typ string
	line, column             int
	kind                     format.Kind
}

// readEntries reads the metadata, sites and timeline of all entry blocks.
func (d *decoder) readEntries(kinds []byte) error {
	d.ids = make(map[uint32]uint32)
	d.sites = make(map[siteKey]uint32)
	for i, kind := range kinds {
		if kind != format.BlockEntries {
			continue
		}
		if err := d.readBlock(i); err != nil {
			return err
		}
		if err := d.decodeEntries(blockOffset(i)); err != nil {
			return err
		}
	}
	return nil
}

// decodeEntries decodes the entries of the block in d.block, which stands at off.
func (d *decoder) decodeEntries(off int64) error {
	// Writers that find a block full have raised the count all the same.
	used := int(min(le.Uint64(d.block[format.BlockUsed:]), format.BlockSize))
	for at := format.BlockHeaderSize; at+format.EntryHeadSize <= used; {
		head := le.Uint64(d.block[at:])
		if head == 0 {
			at += format.EntryHeadSize
			continue
		}
		if magic := head >> 40 & 0xffff; magic != format.EntryMagic {
			return d.errorf(off+int64(at), "entry expected, found %#x", head)
		}
		length := int64(uint32(head))
		if length < format.EntryHeadSize || length%format.EntryHeadSize != 0 {
			return d.errorf(off+int64(at), "entry has length %d, not a multiple of %d", length, format.EntryHeadSize)
		}
		if int64(at)+length > int64(used) {
			return d.errorf(off+int64(at), "entry of length %d exceeds the %d bytes in use in its block", length, used)
		}
		if head&format.EntryCommitted != 0 {
			f := fields{b: d.block[at+format.EntryHeadSize : at+int(length)]}
			if err := d.decodeEntry(byte(head>>32), f); err != nil {
				return d.errorf(off+int64(at), "%w", err)
			}
		}
		at += int(length)
	}
	return nil
}

func (d *decoder) decodeEntry(kind byte, f fields) error {
	switch kind {
	case format.EntryMeta:
		return d.meta(f)
	case format.EntrySite:
		return d.site(f)
	case format.EntryTime:
		return d.tick(f)
	case format.EntryGC:
		return d.cycle(f)
	case format.EntryCensus:
		return d.census(f)
	case format.EntryFrame:
		return d.stacks.frame(f)
	case format.EntryStack:
		return d.stacks.stack(f)
	}
	return nil
}

func (d *decoder) meta(f fields) error {
	key, value := f.string(), f.string()
	if f.short {
		return errShort
	}
	p := d.p
	switch key {
	case format.MetaProgram:
		p.Program = value
	case format.MetaGoVersion:
		p.GoVersion = value
	case format.MetaOS:
		p.OS = value
	case format.MetaArch:
		p.Arch = value
	case format.MetaRate:
		p.RateText = value
	case format.MetaArgs:
		p.Args = strings.Split(value, "\x00")
	case format.MetaPackages:
		p.Packages = value
	case format.MetaKinds:
		p.Kinds = strings.Split(value, ",")
	case format.MetaNote:
		p.Notes = append(p.Notes, value)
	}
	return nil
}

func (d *decoder) site(f fields) error {
	id := f.u32()
	s := format.Site{Line: int(f.u32()), Column: int(f.u32()), Kind: format.Kind(f.u32()), Bytes: int64(f.u64())}
	s.File, s.Function, s.Package, s.Type = f.string(), f.string(), f.string(), f.string()
	if f.short {
		return errShort
	}
	s.Bytes = max(s.Bytes, -1)
	key := siteKey{s.File, s.Function, s.Package, s.Type, s.Line, s.Column, s.Kind}
	index, known := d.sites[key]
	if !known {
		index = uint32(len(d.p.Sites))
		d.p.Sites = append(d.p.Sites, s)
		d.sites[key] = index
	} else if d.p.Sites[index].Bytes != s.Bytes {
		d.p.Sites[index].Bytes = -1
	}
	if other, taken := d.ids[id]; taken && other != index {
		return errors.New("site id is already that of another site")
	}
	d.ids[id] = index
	return nil
}

func (d *decoder) tick(f fields) error {
	t := Tick{
		Time:       f.ns(),
		Cause:      Cause(f.u32()),
		Cycle:      f.u32(),
		Objects:    f.u64(),
		Bytes:      f.u64(),
		Live:       f.u64(),
		GCCPU:      f.ns(),
		OwnObjects: f.u64(),
		OwnBytes:   f.u64(),
	}
	if err := f.err(); err != nil {
		return err
	}
	d.p.Timeline = append(d.p.Timeline, t)
	return nil
}

// finishTimeline puts the timeline in order: entries of several threads may be noted down
// out of it.
func (d *decoder) finishTimeline() {
	slices.SortStableFunc(d.p.Timeline, func(a, b Tick) int { return cmp.Compare(a.Time, b.Time) })
}

// fields reads the fields of an entry one after another; short is set once they run out,
// outside by a time that no run reaches.
type fields struct {
	b       []byte
	short   bool
	outside bool
}

func (f *fields) take(n uint32) []byte {
	if uint64(n) > uint64(len(f.b)) {
		f.b, f.short = nil, true
		return nil
	}
	b := f.b[:n]
	f.b = f.b[n:]
	return b
}

func (f *fields) u32() uint32 {
	if b := f.take(4); b != nil {
		return le.Uint32(b)
	}
	return 0
}

func (f *fields) u64() uint64 {
	if b := f.take(8); b != nil {
		return le.Uint64(b)
	}
	return 0
}

// err is what is wrong with the fields that were read.
func (f *fields) err() error {
	switch {
	case f.short:
		return errShort
	case f.outside:
		return errTime
	}
	return nil
}

// ns reads a time.
func (f *fields) ns() int64 {
	t := f.u64()
	if t > maxTime {
		t, f.outside = 0, true
	}
	return int64(t)
}

func (f *fields) string() string { return string(f.take(f.u32())) }
