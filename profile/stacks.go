package profile

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/filip-go/filip/format"
)

// A stackDecoder collects the entries of frames and stacks. A frame may follow the stacks
// that it is in, so stacks are made only when all entries have been read.
type stackDecoder struct {
	frames map[uint32]Frame
	stacks map[uint32][]byte // ids of frames, as in the file
}

func (d *stackDecoder) frame(f fields) error {
	id := f.u32()
	frame := Frame{Line: int(f.u32())}
	frame.Function, frame.File = f.string(), f.string()
	if f.short {
		return errShort
	}
	if d.frames == nil {
		d.frames = make(map[uint32]Frame)
	}
	if other, taken := d.frames[id]; taken && other != frame {
		return errors.New("frame id is already that of another frame")
	}
	d.frames[id] = frame
	return nil
}

func (d *stackDecoder) stack(f fields) error {
	id, n := f.u32(), f.u32()
	if n > format.BlockSize {
		return errShort
	}
	ids := f.take(4 * n)
	if f.short {
		return errShort
	}
	if d.stacks == nil {
		d.stacks = make(map[uint32][]byte)
	}
	if other, taken := d.stacks[id]; taken && !bytes.Equal(other, ids) {
		return errors.New("stack id is already that of another stack")
	}
	d.stacks[id] = bytes.Clone(ids)
	return nil
}

// finish sets the frames and stacks of p and returns the index of each stack entry's id.
// Several entries may describe the same: two goroutines note the same stack at the same
// time, and an inlined function has frames wherever it is inlined. A stack of which a frame
// is missing is that of no frames.
func (d *stackDecoder) finish(p *Profile) map[uint32]uint32 {
	if len(d.stacks) == 0 {
		return nil
	}
	p.Stacks = [][]uint32{nil}
	byID := make(map[uint32]uint32)
	frames := make(map[Frame]uint32)
	stacks := map[string]uint32{"": 0}
	var key []byte
	for _, id := range slices.Sorted(maps.Keys(d.stacks)) {
		ids := d.stacks[id]
		stack := make([]uint32, 0, len(ids)/4)
		key = key[:0] // the same as bytes
		for ; len(ids) > 0; ids = ids[4:] {
			frame, ok := d.frames[le.Uint32(ids)]
			if !ok {
				key = key[:0]
				break
			}
			index, known := frames[frame]
			if !known {
				index = uint32(len(p.Frames))
				frames[frame] = index
				p.Frames = append(p.Frames, frame)
			}
			stack = append(stack, index)
			key = le.AppendUint32(key, index)
		}
		index, known := stacks[string(key)]
		if !known {
			index = uint32(len(p.Stacks))
			stacks[string(key)] = index
			p.Stacks = append(p.Stacks, stack)
		}
		byID[id] = index
	}
	return byID
}
