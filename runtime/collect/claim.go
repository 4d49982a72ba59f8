package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/runtime"
	"github.com/filip-go/filip/sampler"
)

// Each P fills a block of records of its own: goroutines do not meet on a cache line of the file,
// and no atomic operation has to wait for the stores to a record before (a third of what a birth
// costs, were it not so).
//
// While the file may grow, blocks are fresh. When it has reached its bound the thinning level
// rises by one, which gives up half of the records, and the blocks are gone through again
// from the first: in each, the records that no longer count are given to new objects. Once
// all have been gone through, the file is as full as it was, and the level rises again.
// There is no pause: each birth looks at a few records.
var hand uint64 // blocks of the current pass that were handed out

// A cursor is the place of a record: bits 0-7 its index in its block, and 1; bits 8-62 the block; bit
// 63 is set while the block's records are given out for the first time. No record is at 0.
type cursor uint64

const freshCursor cursor = 1 << 63

func newCursor(block uint64) cursor { return cursor(block<<8 | 1) }

func (c cursor) fresh() bool   { return c&freshCursor != 0 }
func (c cursor) block() uint64 { return uint64(c &^ freshCursor >> 8) }
func (c cursor) index() uint32 { return uint32(c&255) - 1 }

// id is the record's number in the file.
func (c cursor) id() uint32 { return uint32(c.block())*format.RecordsPerBlock + c.index() }

func (c cursor) record() *record { return file.record(c.block(), c.index()) }

// rows has a filip_row for each P: the cursors that it hands out next.
var (
	rows     unsafe.Pointer
	rowCount uint32
)

const (
	maxRows = 1 << 12 // GOMAXPROCS beyond which births on some Ps are dropped
	rowSize = 64
)

func createRows() {
	if rows = offHeap(maxRows * rowSize); rows != nil {
		rowCount = maxRows
	}
}

// claim returns the place of a record that nobody else is given, for an object that was sampled at
// a thinning level; the level that it counts from, and its generation. Where it has none it counts
// the drop. A fresh record stays free until it is committed; one that was another object's is in
// state claimed.
func claim(c *runtime.Counter, level uint32) (at cursor, from, gen uint32) {
	for {
		at := cursor(rowNext(rows, rowCount))
		if at == 0 {
			start, ok := nextBlock()
			if !ok {
				return 0, 0, 0
			}
			if was, none := refillRow(rows, rowCount, uint64(start), uint64(start)+format.RecordsPerBlock); !was {
				cas64(&spare, 0, uint64(start)) // another goroutine has found one meanwhile, or this one is on another P
				if none {
					drop(format.DroppedContended)
					return 0, 0, 0
				}
			}
			if now := load(file.u32(format.HeaderLevel)); now != level {
				if !outlives(c, level, now) {
					return 0, 0, 0
				}
				level = now
			}
			continue
		}
		if at.fresh() {
			return at, level, 1
		}
		r := at.record()
		state := load(&r.state)
		switch state & format.StateMask {
		case format.StateFree, format.StateClaimed: // it is being written, or will be
			continue
		}
		if state>>format.StateLevelShift&format.StateLevelMask >= level {
			continue
		}
		gen := (state>>format.StateGenShift + 1) & format.StateGenMask
		if cas(&r.state, state, format.StateClaimed|gen<<format.StateGenShift) {
			drop(format.DroppedThinned)
			return at, level, gen
		}
	}
}

// spare is the start of a block that a P got and could not use.
var spare uint64

// outlives decides whether a sample drawn at a level still counts at a higher one. Where it
// does not it counts the drop.
func outlives(c *runtime.Counter, drawn, level uint32) bool {
	if drawn < level && sampler.Random(&c.Seed)>>(64-(level-drawn)) != 0 {
		drop(format.DroppedThinned)
		return false
	}
	return true
}

// nextBlock returns the start of a block for a P to fill: a fresh one, or one to reclaim from.
func nextBlock() (start cursor, ok bool) {
	if at := load64(&spare); at != 0 && cas64(&spare, at, 0) {
		return cursor(at), true
	}
	if load(&file.bounded) == 0 {
		if block, ok := file.newBlock(format.BlockRecords); ok {
			watchBlock(block)
			return newCursor(block) | freshCursor, true
		}
		if load(&file.bounded) == 0 {
			drop(format.DroppedContended) // the file is being made longer at this moment
			return 0, false
		}
	}
	level := file.u32(format.HeaderLevel)
	cas(level, 0, 1)    // the blocks are full: there is nothing to reclaim at level 0
	for range 1 << 20 { // far more blocks of entries than there can be between two of records
		total := load64(&file.blocks)
		k := xadd64(&hand, 1) - 1
		if k < total {
			if load(file.u32(format.HeaderSize+uintptr(k)*format.BlockSize)) == format.BlockRecords {
				return newCursor(k), true
			}
			continue
		}
		if v := load(level); v < format.StateLevelMask && cas64(&hand, k+1, 0) {
			store(level, v+1)
		}
	}
	drop(format.DroppedFull)
	return 0, false
}
