package profile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/filip-go/filip/format"
)

// Read reads the profile file of the given name.
func Read(name string) (*Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Decode(f, name)
}

// Decode reads a profile from r; name stands for it in errors and in Profile.Name. The
// writer may be at work meanwhile.
func Decode(r io.ReaderAt, name string) (*Profile, error) {
	p := &Profile{Name: name}
	d := &decoder{r: r, name: name, p: p}
	if err := d.decode(); err != nil {
		return nil, err
	}
	return p, nil
}

// A decoder is the state of one Decode.
type decoder struct {
	r    io.ReaderAt
	name string
	p    *Profile

	ids    map[uint32]uint32  // id of a site entry → index in p.Sites
	sites  map[siteKey]uint32 // description → index in p.Sites
	cycles map[uint32]*Cycle  // by number
	stacks stackDecoder
	header header
	block  [format.BlockSize]byte
}

// decode reads records before entries, because a running program notes a site down before
// the records that name it: read in this order, every record finds its site. The thinning
// level is read again after the records, because a writer that raises it reuses the
// slots of those it gave up.
func (d *decoder) decode() error {
	if err := d.readHeader(); err != nil {
		return err
	}
	kinds, err := d.index(nil)
	if err != nil {
		return err
	}
	if err := d.readRecords(kinds); err != nil {
		return err
	}
	if err := d.readHeader(); err != nil {
		return err
	}
	if kinds, err = d.index(kinds); err != nil {
		return err
	}
	if err := d.readEntries(kinds); err != nil {
		return err
	}
	nameFunctions(d.p.Sites)
	d.header.fill(d.p)
	d.p.MissingBlocks = max(d.header.blocks, uint64(len(kinds))) - uint64(len(kinds))
	d.finishRecords()
	d.finishTimeline()
	d.finishCycles()
	d.dateDeaths()
	return nil
}

// uncounted is how many blocks past the header's count may be in use: a writer takes a
// block before it counts it, and each of its threads may have been stopped in between.
const uncounted = 1 << 10

// index returns the kinds of all blocks that may be in use and that the file holds; the
// first len(known) of them are taken from known unless unused then.
func (d *decoder) index(known []byte) ([]byte, error) {
	kinds := known
	for i := 0; i < len(known) || uint64(i) < d.header.blocks || uint64(i)-d.header.blocks < uncounted; i++ {
		if i < len(known) && known[i] != format.BlockUnused {
			continue
		}
		off := blockOffset(i)
		n, err := d.readAt(d.block[:format.BlockHeaderSize], off)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		kind := le.Uint32(d.block[format.BlockKind:])
		if kind > format.BlockEntries {
			return nil, d.errorf(off, "unknown kind of block %d", kind)
		}
		if i < len(known) {
			kinds[i] = byte(kind)
		} else {
			kinds = append(kinds, byte(kind))
		}
	}
	return kinds, nil
}

// readBlock reads block i, which is in use, as a whole into d.block.
func (d *decoder) readBlock(i int) error {
	off := blockOffset(i)
	n, err := d.readAt(d.block[:], off)
	if err != nil {
		return err
	}
	if n < format.BlockSize {
		return d.errorf(off, "file is truncated: %d bytes of a block of %d", n, format.BlockSize)
	}
	return nil
}

// readAt reads as much of buf as the file holds at off and sets the rest to 0.
func (d *decoder) readAt(buf []byte, off int64) (int, error) {
	n, err := d.r.ReadAt(buf, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, d.errorf(off, "%w", err)
	}
	clear(buf[n:])
	return n, nil
}

func (d *decoder) errorf(off int64, sentence string, args ...any) error {
	return fmt.Errorf("read %s: offset %d: %w", d.name, off, fmt.Errorf(sentence, args...))
}

func blockOffset(i int) int64 { return format.HeaderSize + int64(i)*format.BlockSize }
