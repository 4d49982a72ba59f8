package verify

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"

	// The package of the Go tree's own trace parser. It needs no more than Go 1.25 and reads the
	// traces of Go 1.25 and 1.26; the versions from August 2026 on need Go 1.26.
	"golang.org/x/exp/trace"
)

// A Kind says what an Event tells.
type Kind uint8

// Kinds of events.
const (
	Exists  Kind = iota // the slot was in use when the trace began
	Alloc               // an object was allocated in the slot
	Free                // the sweeper found the slot's object unmarked
	Mark                // a mark phase began, or was under way when the trace began
	MarkEnd             // a mark phase ended
)

// An Event is what the runtime's own trace tells about its heap.
type Event struct {
	Kind Kind
	// Time is in ns since the start of the profile. The tracer gives each event of a thread a
	// later time than the one before, in steps of 64 ns: where events are denser, times run ahead
	// of the clock, until the thread takes its next buffer.
	Time int64
	// Late: the event was earlier than Time, it is not known by how much. The reader gives no
	// event an earlier time than the one before, and each second a new generation of the trace
	// begins for one thread sooner than for another.
	Late bool
	Addr uint64 // the slot's (Exists, Alloc, Free)
	// Of Exists and Alloc:
	Offset uint8  // of the object in its slot: 8 behind the runtime's header
	Shared bool   // in a slot of the tiny allocator's size and kind, which may hold several objects
	Size   uint64 // bytes of the slot; 0 if its span has not been told yet
	Type   string // as the runtime names it, of an array that of its elements; "" if it knows none
}

// maxAhead is how far times run ahead: a buffer has room for some 13,000 events, and each
// takes the runtime most of a step at least.
const maxAhead = 1e6

// Objects in slots of more than maxBare bytes may start behind a header of the runtime's.
const (
	maxBare    = 512
	headerSize = 8
)

// Events reads the heap's events from an execution trace that was taken with
// GODEBUG=traceallocfree=1. start is the start of the profile by the monotonic clock, ns. The
// sequence ends with the first error. No more of a trace than a second of its run is in memory.
func Events(r io.Reader, start int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		d := decoder{start: start, spans: make(map[uint64]span)}
		tr, err := trace.NewReader(r)
		for err == nil {
			var ev trace.Event
			if ev, err = tr.ReadEvent(); err != nil {
				break
			}
			var e Event
			var ok bool
			if e, ok, err = d.decode(ev); ok && !yield(e, nil) {
				return
			}
		}
		if errors.Is(err, io.EOF) && !d.info {
			err = errors.New("it has no heap events")
		}
		if err != nil && !errors.Is(err, io.EOF) {
			yield(Event{}, err)
		}
	}
}

// A decoder is the state of one reading.
type decoder struct {
	start int64
	last  trace.Time        // of the event before
	info  bool              // the three below are known
	least uint64            // addresses count from here
	page  uint64            // bytes
	align uint64            // addresses of objects are in units of it
	types map[uint64]string // of this generation
	spans map[uint64]span   // by page
}

// A span is a run of pages with slots of one size.
type span struct {
	base, slot uint64
	shared     bool
}

func (d *decoder) decode(ev trace.Event) (e Event, ok bool, err error) {
	e.Time = int64(ev.Time()) - d.start
	// An exact time is a number of steps, so only the reader can put it 1 ns after another one.
	e.Late = ev.Time() == d.last+1
	d.last = ev.Time()
	switch ev.Kind() {
	case trace.EventSync:
		return e, false, d.sync(ev.Sync())
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		if ev.Range().Name != "GC concurrent mark phase" {
			return e, false, nil
		}
		if e.Kind = Mark; ev.Kind() == trace.EventRangeEnd {
			e.Kind = MarkEnd
		}
		return e, true, nil
	case trace.EventExperimental:
	default:
		return e, false, nil
	}
	x := ev.Experimental()
	if !d.info {
		return e, false, errors.New("heap events come before what is needed to read them")
	}
	arg := func(i int) uint64 { return x.ArgValue(i).Uint64() }
	switch x.Name {
	case "Span", "SpanAlloc":
		d.span(arg(0), arg(1), arg(2))
		return e, false, nil
	case "HeapObject":
		e.Kind = Exists
	case "HeapObjectAlloc":
		e.Kind = Alloc
	case "HeapObjectFree":
		// A span may be in use again, by the times, before its last frees are told. They tell
		// the slot's address itself.
		e.Kind, e.Addr = Free, d.least+arg(0)*d.align
		return e, true, nil
	default: // stacks, and spans freed, which the next use of their pages tells as well
		return e, false, nil
	}
	addr := d.least + arg(0)*d.align
	e.Addr, e.Type = addr, d.types[arg(1)]
	if s, ok := d.spans[addr/d.page]; ok {
		e.Addr = addr - (addr-s.base)%s.slot
		e.Offset = uint8(addr - e.Addr)
		e.Size, e.Shared = s.slot, s.shared
		if e.Kind == Exists && s.slot > maxBare {
			e.Offset = headerSize // told is the slot, and not whether it has a header
		}
	}
	return e, true, nil
}

// span notes a span of n pages. class is 1 if it holds no objects, else twice its class.
func (d *decoder) span(id, n, class uint64) {
	if class&1 != 0 {
		return
	}
	s := span{base: d.least + id*d.page, slot: n * d.page, shared: class>>1 == tinyClass}
	if size := class >> 2; size != 0 { // else one large object, which starts the span
		s.slot = uint64(slotSizes[min(size, uint64(len(slotSizes)-1))])
	} else {
		n = 1
	}
	for i := range n {
		d.spans[s.base/d.page+i] = s
	}
}

// sync takes what a generation of the trace says about the events that follow.
func (d *decoder) sync(s trace.Sync) error {
	if s.ClockSnapshot == nil {
		return nil // the end of the trace
	}
	// On Linux the trace has the runtime's monotonic clock. The two readings of a snapshot are apart
	// only by how long the thread was stopped in between, which may be milliseconds: they are no use to
	// convert one into the other.
	if apart := int64(s.ClockSnapshot.Trace) - int64(s.ClockSnapshot.Mono); max(apart, -apart) > 60e9 {
		return errors.New("its clock is not the runtime's monotonic clock")
	}
	d.types = make(map[uint64]string)
	for _, batch := range s.ExperimentalBatches["AllocFree"] {
		f := fields{b: batch.Data}
		switch kind := f.uint(); kind {
		case 0:
			for len(f.b) > 0 && !f.short {
				id := f.uint()
				f.uint() // address
				f.uint() // size
				f.uint() // bytes up to the last pointer
				d.types[id] = f.string()
			}
		case 1:
			d.least, d.page, d.align = f.uint(), f.uint(), f.uint()
			d.info = d.page > 0 && d.align > 0
		}
		if f.short {
			return errors.New("a table of the heap's types ends in the middle")
		}
	}
	return nil
}

// fields reads the varints of a batch; short is set once they run out.
type fields struct {
	b     []byte
	short bool
}

func (f *fields) uint() uint64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 {
		f.b, f.short = nil, true
		return 0
	}
	f.b = f.b[n:]
	return v
}

func (f *fields) string() string {
	n := f.uint()
	if n > uint64(len(f.b)) {
		f.b, f.short = nil, true
		return ""
	}
	s := string(f.b[:n])
	f.b = f.b[n:]
	return s
}
