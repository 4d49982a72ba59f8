package collect

import (
	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/runtime"
	"github.com/filip-go/filip/sampler"
)

// Each counter fills a block of records of its own, so that goroutines do not meet on a
// cache line of the file.
//
// While the file may grow, blocks are fresh. When it has reached its bound the thinning level
// rises by one, which gives up half of the records, and the blocks are gone through again
// from the first: in each, the records that no longer count are given to new objects. Once
// all have been gone through, the file is as full as it was, and the level rises again.
// There is no pause: each birth looks at a few records.
var hand uint64 // blocks of the current pass that were handed out

// A record's id is its place in the file: block*RecordsPerBlock + index.

// claim returns a record for an object that was sampled at a thinning level, in state claimed, its
// id, the level that it counts from, and whether it has been another object's. Where it has none it
// counts the drop.
func claim(c *runtime.Counter, level uint32) (r *record, id, from uint32, again bool) {
	for {
		cursor := load64(&c.Cursor)
		if cursor == 0 {
			block, ok := nextBlock()
			if !ok {
				return nil, 0, 0, false
			}
			cursor = block*format.RecordsPerBlock + 1
			if !cas64(&c.Cursor, 0, cursor) {
				cas64(&spare, 0, block+1) // another goroutine at this counter has found one, too
				continue
			}
			if now := load(file.u32(format.HeaderLevel)); now != level {
				if !outlives(c, level, now) {
					return nil, 0, 0, false
				}
				level = now
			}
		}
		next := cursor + 1
		if cursor%format.RecordsPerBlock == 0 {
			next = 0
		}
		if !cas64(&c.Cursor, cursor, next) {
			continue
		}
		id := uint32(cursor - 1)
		r := file.record(id)
		state := load(&r.state)
		switch state & format.StateMask {
		case format.StateFree: // nobody else is given it
			r.state = format.StateClaimed | 1<<format.StateGenShift
			return r, id, level, false
		case format.StateClaimed:
			continue
		}
		if state>>format.StateLevelShift&format.StateLevelMask >= level {
			continue
		}
		if cas(&r.state, state, format.StateClaimed|(state>>format.StateGenShift+1)&format.StateGenMask<<format.StateGenShift) {
			drop(format.DroppedThinned)
			return r, id, level, true
		}
	}
}

// spare is a block that a counter got and could not use, plus 1.
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

// nextBlock returns a block for a counter to fill: a fresh one, or one to reclaim from.
func nextBlock() (block uint64, ok bool) {
	if block := load64(&spare); block != 0 && cas64(&spare, block, 0) {
		return block - 1, true
	}
	if load(&file.bounded) == 0 {
		if block, ok := file.newBlock(format.BlockRecords); ok {
			watchBlock(block)
			return block, true
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
				return k, true
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
