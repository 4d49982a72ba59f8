package rewrite

import (
	"slices"
)

// A buffer collects insertions into a source text. Nothing of the text itself is ever
// changed or moved to another line, so comments, pragmas, odd formatting and every line
// number survive by construction.
type buffer struct {
	old []byte
	ins []insertion
}

type insertion struct {
	off  int
	seq  int // order at the same offset
	text string
}

// Wrap inserts opening at start and closing at end. A wrap that encloses another must be
// made before it, also where both have the same bounds.
func (b *buffer) Wrap(start, end int, opening, closing string) {
	if start < 0 || end <= start || end > len(b.old) {
		panic("rewrite: invalid bounds of a wrap")
	}
	// What ends at an offset comes before what starts there; of several that end, the
	// innermost, which came last, is first.
	b.ins = append(b.ins,
		insertion{start, len(b.ins) + 1, opening},
		insertion{end, -len(b.ins) - 1, closing})
}

// Insert inserts text at off, after all closings and before all later openings.
func (b *buffer) Insert(off int, text string) {
	if off < 0 || off > len(b.old) {
		panic("rewrite: invalid offset of an insertion")
	}
	b.ins = append(b.ins, insertion{off, 0, text})
}

// Bytes is the text with its insertions, each run of insertions at one offset followed by
// what mend returns for that offset.
func (b *buffer) Bytes(mend func(off int) string) []byte {
	slices.SortStableFunc(b.ins, func(x, y insertion) int {
		if x.off != y.off {
			return x.off - y.off
		}
		return x.seq - y.seq
	})
	size := len(b.old)
	for _, in := range b.ins {
		size += len(in.text) + len("/*line :1234:12*/")
	}
	out := make([]byte, 0, size)
	off := 0
	for i, in := range b.ins {
		out = append(out, b.old[off:in.off]...)
		out = append(out, in.text...)
		off = in.off
		if i+1 == len(b.ins) || b.ins[i+1].off != off {
			out = append(out, mend(off)...)
		}
	}
	return append(out, b.old[off:]...)
}
