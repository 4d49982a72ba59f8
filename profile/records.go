package profile

import (
	"math"

	"github.com/filip-go/filip/format"
)

// maxTime is more than any run can last (146 years, in ns), so that sums and differences of
// two times do not overflow.
const maxTime = 1 << 62

// maxWeight is more objects than any run allocates, and N of the smallest rate.
const maxWeight = 1 << 62

// readRecords appends the usable records of all record blocks to d.p.Records. Their
// Site and Stack are still the ids of entries and their Weight is that of level 0.
func (d *decoder) readRecords(kinds []byte) error {
	blocks := 0
	for _, kind := range kinds {
		if kind == format.BlockRecords {
			blocks++
		}
	}
	d.p.Records = make([]Record, 0, blocks*format.RecordsPerBlock)
	for i, kind := range kinds {
		if kind != format.BlockRecords {
			continue
		}
		if err := d.readBlock(i); err != nil {
			return err
		}
		if err := d.decodeRecords(blockOffset(i)); err != nil {
			return err
		}
	}
	return nil
}

// decodeRecords decodes the records of the block in d.block, which stands at off.
func (d *decoder) decodeRecords(off int64) error {
	level, shift := d.header.level, d.header.shift
	weight := math.Float32frombits(le.Uint32(d.block[format.BlockWeight:]))
	for at := format.RecordsStart; at < format.BlockSize; at += format.RecordSize {
		b := d.block[at : at+format.RecordSize : at+format.RecordSize]
		state := le.Uint32(b[format.RecordState:])
		if state&format.StateMask == format.StateFree {
			continue
		}
		if state&format.StateMask == format.StateClaimed {
			d.p.Lost++
			continue
		}
		if state>>format.StateLevelShift&format.StateLevelMask < level {
			continue
		}
		birth, end := le.Uint64(b[format.RecordBirth:]), le.Uint64(b[format.RecordEnd:])
		r := Record{
			Birth:      int64(birth >> format.RecordShift << shift),
			Bytes:      format.UnpackBytes(state >> format.StateBytesShift),
			Site:       uint32(birth&format.RecordMask | end&format.RecordMask<<format.RecordShift),
			Stack:      le.Uint32(b[format.RecordStack:]),
			BirthCycle: le.Uint32(b[format.RecordBirthCycle:]),
			Weight:     weight,
			Marking:    state&format.StateMarking != 0,
			Shared:     state&format.StateShared != 0,
			level:      uint8(state >> format.StateLevelShift & format.StateLevelMask),
		}
		if state&format.StateMask == format.StateDead {
			r.Dead = true
			r.DeathCycle = le.Uint32(b[format.RecordDeathCycle:])
		}
		if end >>= format.RecordShift; d.header.observer == format.ObserverCensus {
			r.Addr = end // dateDeaths tells when
		} else if r.Dead {
			r.Death = int64(end << shift)
		}
		if !(weight > 0 && weight <= maxWeight) {
			return d.errorf(off+format.BlockWeight, "records stand for %v objects", weight)
		}
		if r.Dead && d.header.observer != format.ObserverCensus && r.Death < r.Birth {
			// The slot was written while it was being read: a death next to what
			// was there before it.
			d.p.Lost++
			continue
		}
		d.p.Records = append(d.p.Records, r)
	}
	return nil
}

// finishRecords applies the final thinning level and turns ids into indexes of p.Sites.
func (d *decoder) finishRecords() {
	p := d.p
	factor := float32(scale(p.Level))
	sites, stacks := newIndexes(d.ids), newIndexes(d.stacks.finish(p))
	kept := p.Records[:0]
	for i := range p.Records {
		r := &p.Records[i]
		if int(r.level) < p.Level {
			continue
		}
		index := sites.of(r.Site)
		if index == noIndex {
			p.Lost++
			continue
		}
		r.Site = index
		if r.Stack = stacks.of(r.Stack); r.Stack == noIndex {
			r.Stack = 0
		}
		r.Weight *= factor
		kept = append(kept, *r)
	}
	p.Records = kept
}

// indexes maps ids of entries to indexes. Ids are handed out one by one, so nearly always a
// slice serves as the map.
type indexes struct {
	dense []uint32
	all   map[uint32]uint32
}

const noIndex = math.MaxUint32

func newIndexes(all map[uint32]uint32) indexes {
	m := indexes{make([]uint32, 4*len(all)+64), all}
	for id := range m.dense {
		index, ok := all[uint32(id)]
		if !ok {
			index = noIndex
		}
		m.dense[id] = index
	}
	return m
}

// of is the index of an id, noIndex if there is none.
func (m indexes) of(id uint32) uint32 {
	if int64(id) < int64(len(m.dense)) {
		return m.dense[id]
	}
	if index, ok := m.all[id]; ok {
		return index
	}
	return noIndex
}
