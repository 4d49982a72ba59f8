package profile

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/filip-go/filip/format"
)

var le = binary.LittleEndian

// A header is what the first format.HeaderSize bytes of a file say.
type header struct {
	start, mono           int64
	rate                  float64
	pid, level            uint32
	design, observer, end uint32
	census, missed, stack uint32
	shift                 uint32
	period, stacksLost    uint64
	blocks                uint64
	dropped               [format.NumDropped]uint64
}

// readHeader reads and checks the header into d.header.
func (d *decoder) readHeader() error {
	b := d.block[:format.HeaderSize]
	n, err := d.readAt(b, 0)
	if err != nil {
		return err
	}
	if n < len(format.Magic) || string(b[:len(format.Magic)]) != format.Magic {
		return fmt.Errorf("read %s: offset 0: the file is not a FiLiP profile", d.name)
	}
	if n < format.HeaderSize {
		return d.errorf(0, "file is truncated: %d bytes of a header of %d", n, format.HeaderSize)
	}
	for _, f := range [...]struct {
		name string
		off  int64
		want uint32
	}{
		{"format version", format.HeaderVersion, format.Version},
		{"header size", format.HeaderHeaderSize, format.HeaderSize},
		{"block size", format.HeaderBlockSize, format.BlockSize},
		{"record size", format.HeaderRecordSize, format.RecordSize},
	} {
		if got := le.Uint32(b[f.off:]); got != f.want {
			return d.errorf(f.off, "%s is %d, this reader knows only %d", f.name, got, f.want)
		}
	}
	h := &d.header
	h.start = int64(le.Uint64(b[format.HeaderStartWall:]))
	h.mono = int64(le.Uint64(b[format.HeaderStartMono:]))
	h.rate = math.Float64frombits(le.Uint64(b[format.HeaderRate:]))
	if !(h.rate > 0 && h.rate <= maxWeight) {
		return d.errorf(format.HeaderRate, "sampling rate of 1 in %v is not a rate", h.rate)
	}
	h.level = le.Uint32(b[format.HeaderLevel:])
	if h.level > format.StateLevelMask {
		return d.errorf(format.HeaderLevel, "thinning level is %d, at most %d is possible", h.level, format.StateLevelMask)
	}
	h.pid = le.Uint32(b[format.HeaderPid:])
	h.design = le.Uint32(b[format.HeaderDesign:])
	h.observer = le.Uint32(b[format.HeaderObserver:])
	h.end = le.Uint32(b[format.HeaderEnd:])
	h.census = le.Uint32(b[format.HeaderCensus:])
	h.missed = le.Uint32(b[format.HeaderMissed:])
	h.stack = le.Uint32(b[format.HeaderStackDepth:])
	if h.period = le.Uint64(b[format.HeaderGCPeriod:]); h.period > maxTime {
		return d.errorf(format.HeaderGCPeriod, "collections %d ns apart are no period of a run", h.period)
	}
	h.stacksLost = le.Uint64(b[format.HeaderStacksLost:])
	if h.shift = le.Uint32(b[format.HeaderTimeShift:]); h.shift > 62-64+format.RecordShift {
		return d.errorf(format.HeaderTimeShift, "times in units of 2^%d ns are none of a run", h.shift)
	}
	h.blocks = le.Uint64(b[format.HeaderBlocks:])
	for i := range h.dropped {
		h.dropped[i] = le.Uint64(b[format.HeaderDropped+8*i:])
	}
	return nil
}

// fill sets the fields of p that come from the header.
func (h *header) fill(p *Profile) {
	p.Start = time.Unix(0, h.start)
	p.Mono = h.mono
	p.Rate = h.rate
	p.Level = int(h.level)
	p.Pid = int(h.pid)
	p.Design = Design(h.design)
	p.Observer = Observer(h.observer)
	p.End = End(h.end)
	p.Census = h.census
	p.Missed = h.missed
	p.Stack = int(h.stack)
	p.GCPeriod = int64(h.period)
	p.StacksLost = h.stacksLost
	p.Dropped = h.dropped
}
