package verify

import (
	"bytes"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/trace"
	"strings"
	"testing"
	"unsafe"
)

type traced struct {
	next *traced
	n    [60]int
}

type large [80]*traced

var (
	keptTraced *traced
	keptLarge  *large
	keptBefore *large
	keptBytes  []byte
	dropped    any
)

// The events of a trace of this very process, by the version of Go at hand.
func TestEvents(t *testing.T) {
	t.Setenv("GODEBUG", "traceallocfree=1")
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // only the cycles below are to be there
	keptBefore = new(large)
	var buf bytes.Buffer
	if err := trace.Start(&buf); err != nil {
		t.Skip(err)
	}
	keptTraced = new(traced)
	keptLarge = new(large)
	keptBytes = make([]byte, 100000)
	p := new(traced)
	dead := uintptr(unsafe.Pointer(p))
	dropped = p
	dropped = nil
	runtime.GC()
	runtime.GC()
	trace.Stop()

	kinds := make(map[Kind]int)
	found := make(map[uintptr][]Event)
	var last int64
	for e, err := range Events(bytes.NewReader(buf.Bytes()), 0) {
		if err != nil {
			t.Fatal(err)
		}
		kinds[e.Kind]++
		at := uintptr(e.Addr) + uintptr(e.Offset)
		found[at] = append(found[at], e)
		if e.Time < last {
			t.Fatalf("an event at %d ns follows one at %d ns", e.Time, last)
		}
		last = e.Time
	}
	if kinds[Exists] == 0 || kinds[Mark] != 2 || kinds[MarkEnd] != 2 {
		t.Errorf("events by kind are %v", kinds)
	}
	for _, test := range []struct {
		name   string
		p      unsafe.Pointer
		typ    string
		size   uint64
		offset uint8
	}{
		{"object", unsafe.Pointer(keptTraced), "verify.traced", 512, 0},
		{"with a header", unsafe.Pointer(keptLarge), "verify.large", 704, 8},
		{"of several pages", unsafe.Pointer(unsafe.SliceData(keptBytes)), "uint8", 106496, 0},
	} {
		events := found[uintptr(test.p)]
		if n := len(events); n == 0 {
			t.Errorf("%s: no event", test.name)
		} else if e := events[n-1]; e.Kind != Alloc || e.Type != test.typ || e.Size != test.size || e.Offset != test.offset {
			t.Errorf("%s: last event is %+v", test.name, e)
		}
	}
	// What exists at the start is told by its slot, and may have a header.
	if events := found[uintptr(unsafe.Pointer(keptBefore))]; len(events) == 0 || events[0].Kind != Exists || events[0].Offset != 8 {
		t.Errorf("with a header before the trace: events are %+v", events)
	}
	var marks int // that had ended when the object died
	freed := false
	for e := range Events(bytes.NewReader(buf.Bytes()), 0) {
		switch {
		case e.Kind == MarkEnd:
			marks++
		case e.Kind == Free && uintptr(e.Addr) == dead && !freed:
			if freed = true; marks == 0 {
				t.Error("freed before the first mark phase ended")
			}
		}
	}
	if !freed {
		t.Error("no event tells the death")
	}
}

func TestEventsErrors(t *testing.T) {
	var plain bytes.Buffer
	if err := trace.Start(&plain); err != nil {
		t.Skip(err)
	}
	trace.Stop()
	for _, test := range []struct{ name, trace, want string }{
		{"empty", "", "not a Go execution trace"},
		{"something else", "FILIP\r\n", "not a Go execution trace"},
		{"cut", plain.String()[:plain.Len()-10], ""},
		{"no heap events", plain.String(), "no heap events"},
	} {
		var last error
		for _, err := range Events(strings.NewReader(test.trace), 0) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), test.want) {
			t.Errorf("%s: error is %v", test.name, last)
		}
	}
}

// The table is that of the runtime at hand.
func TestSlotSizes(t *testing.T) {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs-by-size:bytes"}}
	metrics.Read(sample)
	var sizes []uint16
	for _, bound := range sample[0].Value.Float64Histogram().Buckets {
		if bound > 1 && !math.IsInf(bound, 1) {
			sizes = append(sizes, uint16(bound-1)) // a bucket's bound is exclusive
		}
	}
	if len(sizes) != len(slotSizes)-1 {
		t.Fatalf("the runtime has %d sizes, the table %d: %v", len(sizes), len(slotSizes)-1, sizes)
	}
	for i, size := range sizes {
		if slotSizes[i+1] != size {
			t.Errorf("class %d has %d bytes, in the table %d", i+1, size, slotSizes[i+1])
		}
	}
}
