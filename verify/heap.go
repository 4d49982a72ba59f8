package verify

import "iter"

// A heap has what is known of every address of the program's heap. A page at a time, because
// neighbours are allocated and swept one after another, and a map of addresses spends most of its
// time waiting for memory.
type heap struct {
	pages map[uint64]*page
	last  *page // the one asked for last
	at    uint64
	lives []*[livesPerChunk]life
	used  uint32   // lives handed out
	ended []uint32 // of them, those to use again
}

const livesPerChunk = 4096

const minAlign = 8 // of addresses of objects

type page [pageSize / minAlign]cell

// A cell is what begins at an address; both are places in a list, plus 1, or 0.
type cell struct {
	life   uint32 // in heap.lives: the object that is alive there
	record uint32 // in comparison.order: the next record of that address
}

// A life is that of one object, or of those that share a tiny block. There are millions: it has no
// pointers, so that the collector need not look at them.
type life struct {
	birth   int64 // 0: not known
	size    uint64
	typ     uint32 // in comparison.unseen
	cycle   uint32 // mark phases that had ended at the birth
	objects uint16
	offset  uint8 // of the object in its slot
	shared  bool
	existed bool // before the trace

	// Times of different threads are not exact, so the allocation of the slot's next object may be
	// told before the free of this one. Then this is its life, a place in heap.lives, plus 1.
	early uint32
}

func (h *heap) cell(addr uint64) *cell {
	if at := addr / pageSize; h.last == nil || at != h.at {
		p := h.pages[at]
		if p == nil {
			if h.pages == nil {
				h.pages = make(map[uint64]*page)
			}
			p = new(page)
			h.pages[at] = p
		}
		h.last, h.at = p, at
	}
	return &h.last[addr%pageSize/minAlign]
}

// life is the one at a place that a cell or a life has; nil for 0.
func (h *heap) life(place uint32) *life {
	if place == 0 {
		return nil
	}
	return &h.lives[(place-1)/livesPerChunk][(place-1)%livesPerChunk]
}

// begin notes a life and returns its place.
func (h *heap) begin(l life) (place uint32) {
	if n := len(h.ended); n > 0 {
		place = h.ended[n-1]
		h.ended = h.ended[:n-1]
	} else {
		if h.used%livesPerChunk == 0 {
			h.lives = append(h.lives, new([livesPerChunk]life))
		}
		h.used++
		place = h.used
	}
	*h.life(place) = l
	return place
}

// end frees the place of a life.
func (h *heap) end(place uint32) { h.ended = append(h.ended, place) }

// all has the objects that are alive, with the addresses of their slots.
func (h *heap) all() iter.Seq2[uint64, *life] {
	return func(yield func(uint64, *life) bool) {
		for at, p := range h.pages {
			for i := range p {
				if l := h.life(p[i].life); l != nil && !yield(at*pageSize+uint64(i)*minAlign, l) {
					return
				}
			}
		}
	}
}
