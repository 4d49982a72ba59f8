package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
)

// A comparison is the state of one Compare.
type comparison struct {
	p      *profile.Profile
	result Result

	heap   heap
	order  []uint32 // the records by key and birth; cells have the place of the first not yet matched, plus 1
	types  []*Type  // by site
	unseen []*Unseen
	named  map[string]uint32 // places in unseen

	cycle  uint32  // the last mark phase that has ended, 0 before the first
	active bool    // a mark phase was under way at the start of the trace
	ends   []Event // MarkEnd
	base   uint32  // of the first of ends
	last   int64   // time of the newest event
}

func newComparison(p *profile.Profile) *comparison {
	c := &comparison{
		p:     p,
		named: make(map[string]uint32),
		types: make([]*Type, len(p.Sites)),
	}
	c.result.Profile = p
	c.result.Objects = objects(p)
	byName := make(map[string]*Type)
	for i := range p.Sites {
		name := p.Sites[i].Type
		if byName[name] == nil {
			byName[name] = &Type{Name: name}
			c.result.Types = append(c.result.Types, byName[name])
		}
		c.types[i] = byName[name]
	}
	if c.result.Objects {
		c.sortRecords()
	}
	return c
}

// key is the address by which a record is found: that of its object, or of the tiny block that the
// object shares with others.
func key(r *profile.Record) uint64 {
	if r.Shared {
		return r.Addr &^ (tinyBlock - 1)
	}
	return r.Addr &^ (minAlign - 1)
}

func (c *comparison) sortRecords() {
	records := c.p.Records
	c.order = make([]uint32, len(records))
	for i := range c.order {
		c.order[i] = uint32(i)
	}
	slices.SortFunc(c.order, func(a, b uint32) int {
		x, y := &records[a], &records[b]
		return cmp.Or(cmp.Compare(key(x), key(y)), cmp.Compare(x.BirthCycle, y.BirthCycle), cmp.Compare(x.Birth, y.Birth))
	})
	for i, at := range c.order {
		k := key(&records[at])
		if i == 0 || k != key(&records[c.order[i-1]]) {
			c.heap.cell(k).record = uint32(i) + 1
		}
	}
}

func (c *comparison) event(e Event) {
	c.last = max(c.last, e.Time)
	switch e.Kind {
	case Mark:
		c.active = c.active || c.cycle == 0 && c.result.Allocations == 0
	case MarkEnd:
		c.markEnd(e)
	case Exists, Alloc:
		c.alloc(e)
	case Free:
		c.free(e)
	}
}

func (c *comparison) alloc(e Event) {
	typ, ok := c.named[e.Type]
	if !ok {
		typ = uint32(len(c.unseen))
		c.named[e.Type] = typ
		c.unseen = append(c.unseen, &Unseen{Name: e.Type})
	}
	if e.Kind == Alloc {
		c.result.Allocations++
		c.unseen[typ].allocations++
	}
	cell := c.heap.cell(e.Addr)
	l := c.heap.life(cell.life)
	newest := l
	if l != nil && l.early != 0 {
		newest = c.heap.life(l.early)
	}
	// The tiny allocator leaves its blocks at each mark phase.
	if newest != nil && e.Shared && newest.cycle == c.cycle {
		newest.objects++
		return
	}
	if e.Kind == Alloc {
		c.result.AllocatedBytes += e.Size
	}
	next := life{birth: e.Time, size: e.Size, typ: typ, cycle: c.cycle, objects: 1, offset: e.Offset, shared: e.Shared, existed: e.Kind == Exists}
	if e.Shared {
		next.offset = 0
	}
	if e.Late {
		next.birth = 0
	}
	if l != nil {
		l.early = c.heap.begin(next)
	} else {
		cell.life = c.heap.begin(next)
	}
}

func (c *comparison) free(e Event) {
	c.result.Frees++
	cell := c.heap.cell(e.Addr)
	l := c.heap.life(cell.life)
	if l == nil {
		return
	}
	c.unseen[l.typ].frees++
	c.join(l, c.cycle)
	c.end(e.Addr, l, c.cycle)
	c.heap.end(cell.life)
	cell.life = l.early
}

// join adds objects that were taken for the slot's next to the tiny block in it, which the given
// mark phase found dead: no other block can be there before the end of that. A goroutine may be
// stopped between an allocation and its event, and a mark phase end meanwhile.
func (c *comparison) join(l *life, cycle uint32) {
	if early := c.heap.life(l.early); early != nil && early.shared && early.cycle < cycle {
		l.objects += early.objects
		c.heap.end(l.early)
		l.early = 0
	}
}

// alive is the cycle of the death of what was not freed.
const alive = math.MaxUint32

// end matches the object that a slot held with its record. cycle is the mark phase that
// found it dead.
func (c *comparison) end(addr uint64, l *life, cycle uint32) {
	var matched uint16
	for k := addr + uint64(l.offset); ; k = addr {
		for {
			r := c.next(k, cycle)
			if r == nil {
				break
			}
			if matched >= l.objects || l.birth != 0 && l.cycle > r.BirthCycle {
				c.noAllocation(r, cycle, fmt.Sprintf("born in cycle %d; the object there was allocated after cycle %d and has %d of %d records already", r.BirthCycle, l.cycle, matched, l.objects))
				continue
			}
			matched++
			c.match(r, l, cycle)
		}
		if k == addr {
			break // a record may have the slot's address as well as the object's
		}
	}
	if l.existed {
		return
	}
	if matched > 0 {
		c.result.Matched += uint64(matched)
		c.result.MatchedBytes += l.size
	}
	if l.objects > matched {
		u := c.unseen[l.typ]
		u.Objects += uint64(l.objects - matched)
		if matched == 0 {
			u.Bytes += l.size
		}
	}
}

// next takes the next record with a key whose object a mark phase can have found dead: it was born
// before the end of that.
func (c *comparison) next(k uint64, cycle uint32) *profile.Record {
	cell := c.heap.cell(k)
	if cell.record == 0 {
		return nil
	}
	at := int(cell.record) - 1
	r := &c.p.Records[c.order[at]]
	if cycle != alive && (r.BirthCycle > cycle || r.BirthCycle == cycle && !r.Marking) {
		return nil
	}
	cell.record = 0
	if at+1 < len(c.order) && key(&c.p.Records[c.order[at+1]]) == k {
		cell.record = uint32(at) + 2
	}
	return r
}

// match compares a record with its object's life.
func (c *comparison) match(r *profile.Record, l *life, cycle uint32) {
	t := c.types[r.Site]
	sized := l.size == 0 || c.sizeAgrees(r, l)
	if !sized {
		c.disagree(WrongSize, r, fmt.Sprintf("%d bytes, for the runtime a slot of %d", r.Bytes, l.size))
	}
	both(&c.result.Births, &t.Births, sized)
	switch {
	case r.Dead && cycle == alive:
		if r.DeathCycle > c.swept() {
			c.result.Unchecked++
			return
		}
		c.disagree(NotFreed, r, fmt.Sprintf("found dead by cycle %d, never freed by the runtime", r.DeathCycle))
		both(&c.result.Deaths, &t.Deaths, false)
	case r.Dead:
		if r.DeathCycle != cycle {
			c.disagree(WrongCycle, r, fmt.Sprintf("found dead by cycle %d, freed by the runtime after cycle %d", r.DeathCycle, cycle))
		}
		both(&c.result.Deaths, &t.Deaths, r.DeathCycle == cycle)
	case cycle <= c.p.Census:
		c.disagree(StillAlive, r, fmt.Sprintf("alive after cycle %d, freed by the runtime after cycle %d", c.p.Census, cycle))
		both(&c.result.Survivors, &t.Survivors, false)
	default:
		both(&c.result.Survivors, &t.Survivors, true)
	}
}

func both(a, b *Agreement, agrees bool) {
	a.add(agrees)
	b.add(agrees)
}

// sizeAgrees compares sizes, as a record has them: those of large objects are rounded up. A tiny
// object counts with its own size, not its block's; a map or channel counts with what belongs to it
// when it is new.
func (c *comparison) sizeAgrees(r *profile.Record, l *life) bool {
	typ := c.unseen[l.typ].Name
	switch {
	case l.shared && r.Bytes <= tinyBlock:
		return true
	case typ == "maps.Map" || typ == "runtime.hchan":
		return r.Bytes == recorded(l.size) || r.Bytes > l.size && r.Bytes == recorded(l.size+slotWithin(r.Bytes-l.size))
	}
	return r.Bytes == recorded(l.size)
}

// recorded is a number of bytes as a record has it.
func recorded(bytes uint64) uint64 { return format.UnpackBytes(format.PackBytes(bytes)) }

// noAllocation notes a record without an event. At the end of the trace, which goes by a clock that
// runs ahead, and for one thread sooner than for another, that says nothing.
func (c *comparison) noAllocation(r *profile.Record, cycle uint32, what string) {
	if cycle == alive && r.Birth > c.last-maxAhead {
		c.result.Unchecked++
		return
	}
	c.disagree(NoAllocation, r, what)
}

func (c *comparison) disagree(class Class, r *profile.Record, what string) {
	t := c.types[r.Site]
	c.result.Classes[class]++
	t.Classes[class]++
	if class == NoAllocation {
		both(&c.result.Births, &t.Births, false)
	}
	if t.First[class] == nil {
		s := &c.p.Sites[r.Site]
		t.First[class] = &Example{r.Addr, r.Birth, fmt.Sprintf("%s:%d", s.File, s.Line), what}
	}
}

// finish matches the objects that are alive at the end of the trace.
func (c *comparison) finish() {
	swept := c.swept()
	for addr, l := range c.heap.all() {
		c.join(l, swept+1)                             // else the free would have been told
		if next := c.heap.life(l.early); next != nil { // the free is missing: the later one is alive
			c.end(addr, l, next.cycle)
			l = next
		}
		c.end(addr, l, alive)
	}
	for i := range c.order {
		k := key(&c.p.Records[c.order[i]])
		for r := c.next(k, alive); r != nil; r = c.next(k, alive) {
			if r.Addr == 0 {
				c.result.Unchecked++
				continue
			}
			c.noAllocation(r, alive, "no object was allocated at this address")
		}
	}
	c.checkCycles()
	c.total()
}

// total completes the sums.
func (c *comparison) total() {
	r := &c.result
	if len(c.p.Timeline) > 0 {
		first, last := c.p.Timeline[0], c.p.Timeline[len(c.p.Timeline)-1]
		r.OwnObjects = min(last.OwnObjects-min(first.OwnObjects, last.OwnObjects), r.Allocations)
		r.OwnBytes = min(last.OwnBytes-min(first.OwnBytes, last.OwnBytes), r.AllocatedBytes)
	}
	if !r.Objects {
		c.count()
	}
	r.Unseen = slices.DeleteFunc(c.unseen, func(u *Unseen) bool { return u.Objects == 0 })
	slices.SortFunc(r.Unseen, func(a, b *Unseen) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Objects, a.Objects), cmp.Compare(a.Name, b.Name))
	})
	r.Types = slices.DeleteFunc(r.Types, func(t *Type) bool { return t.Births.Of == 0 })
	slices.SortFunc(r.Types, func(a, b *Type) int {
		return cmp.Or(cmp.Compare(b.Births.Of, a.Births.Of), cmp.Compare(a.Name, b.Name))
	})
}
