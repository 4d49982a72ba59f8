package runtime

import (
	"sync"
	"testing"
	"unsafe"
)

// taken records what the slow path is handed; it stands in for runtime/collect, which is
// linked into instrumented programs only.
var taken struct {
	sync.Mutex
	samples []Sample
	gap     int64
}

//go:linkname fakeTake filip.take
func fakeTake(c *Counter, s Sample) {
	taken.Lock()
	defer taken.Unlock()
	c.Left = taken.gap
	taken.samples = append(taken.samples, s)
}

// reset starts over with a countdown of gap allocations on every counter.
func reset(gap int64) {
	taken.Lock()
	defer taken.Unlock()
	taken.samples, taken.gap = nil, gap
	for i := range Counters {
		Counters[i].Left = gap
	}
}

var table = struct {
	Table
	Sites [3]Site
}{Table{Meta: "meta"}, [3]Site{{Index: 0}, {Index: 1}, {Index: 2}}}

func TestSiteFindsItsTable(t *testing.T) {
	for i := range table.Sites {
		if got := table.Sites[i].Table(); got != &table.Table {
			t.Errorf("site %d: table %p, want %p", i, got, &table.Table)
		}
	}
}

// TestHelpersPassOn checks for each helper that the value comes back and that the slow path
// gets the address of the object, at the first allocation and at no other.
func TestHelpersPassOn(t *testing.T) {
	s := &table.Sites[1]
	type pair struct{ a, b *int }
	type pairs []pair
	p, x, m, ch := &pair{}, make([]pair, 2, 5), map[string]int{"a": 1}, make(chan int, 3)
	px, pm := &x, &m
	word := func(p unsafe.Pointer) uintptr { return *(*uintptr)(p) }
	for _, tt := range []struct {
		name  string
		call  func() bool // reports whether the value came back
		addr  uintptr
		shape Shape
		typed bool
	}{
		{"Ptr", func() bool { return Ptr(p, s, Object) == p }, uintptr(unsafe.Pointer(p)), ShapeObject, false},
		{"Slice", func() bool { y := Slice(x, s, Object); return &y[0] == &x[0] && len(y) == 2 && cap(y) == 5 }, uintptr(unsafe.Pointer(&x[0])), ShapeObject, false},
		{"Ref map", func() bool { return Ref(m, s, Map)["a"] == 1 }, word(unsafe.Pointer(&m)), ShapeMap, false},
		{"Ref chan", func() bool { return Ref(ch, s, Chan) == ch }, word(unsafe.Pointer(&ch)), ShapeChan, false},
		{"Ptr slice", func() bool { return Ptr(px, s, SliceVar) == px }, uintptr(unsafe.Pointer(px)), ShapeSliceVar, false},
		{"Ptr map", func() bool { return Ptr(pm, s, MapVar) == pm }, uintptr(unsafe.Pointer(pm)), ShapeMapVar, false},
		{"PtrOf slice", func() bool { return PtrOf(px, s, SliceVarOf) == px }, uintptr(unsafe.Pointer(px)), ShapeSliceVar, true},
		{"PtrOf map", func() bool { return PtrOf(pm, s, MapVarOf) == pm }, uintptr(unsafe.Pointer(pm)), ShapeMapVar, true},
		{"SliceAs", func() bool {
			y := SliceAs(x, (*pairs)(nil), s, ObjectOf)
			return &y[0] == &x[0] && len(y) == 2 && cap(y) == 5
		}, uintptr(unsafe.Pointer(&x[0])), ShapeObject, true},
		{"Seen", func() bool { Seen(x, s, Object); return true }, uintptr(unsafe.Pointer(&x[0])), ShapeObject, false},
		{"SeenOf", func() bool { SeenOf(x, s, ObjectOf); return true }, uintptr(unsafe.Pointer(&x[0])), ShapeObject, true},
		{"PtrOf", func() bool { return PtrOf(p, s, ObjectOf) == p }, uintptr(unsafe.Pointer(p)), ShapeObject, true},
		{"SliceOf", func() bool { y := SliceOf(x, s, ObjectOf); return &y[0] == &x[0] && len(y) == 2 && cap(y) == 5 }, uintptr(unsafe.Pointer(&x[0])), ShapeObject, true},
		{"RefOf map", func() bool { return RefOf(m, s, MapOf)["a"] == 1 }, word(unsafe.Pointer(&m)), ShapeMap, true},
		{"RefOf chan", func() bool { return RefOf(ch, s, ChanOf) == ch }, word(unsafe.Pointer(&ch)), ShapeChan, true},
		{"PtrCall", func() bool { return PtrCall(p, s, Object) == p }, uintptr(unsafe.Pointer(p)), ShapeObject, false},
		{"SliceCall", func() bool { y := SliceCall(x, s, Object); return &y[0] == &x[0] && len(y) == 2 && cap(y) == 5 }, uintptr(unsafe.Pointer(&x[0])), ShapeObject, false},
		{"RefCall map", func() bool { return RefCall(m, s, Map)["a"] == 1 }, word(unsafe.Pointer(&m)), ShapeMap, false},
		{"RefCall chan", func() bool { return RefCall(ch, s, Chan) == ch }, word(unsafe.Pointer(&ch)), ShapeChan, false},
		{"PtrCall slice", func() bool { return PtrCall(px, s, SliceVar) == px }, uintptr(unsafe.Pointer(px)), ShapeSliceVar, false},
		{"PtrCall map", func() bool { return PtrCall(pm, s, MapVar) == pm }, uintptr(unsafe.Pointer(pm)), ShapeMapVar, false},
		{"PtrOfCall slice", func() bool { return PtrOfCall(px, s, SliceVarOf) == px }, uintptr(unsafe.Pointer(px)), ShapeSliceVar, true},
		{"PtrOfCall map", func() bool { return PtrOfCall(pm, s, MapVarOf) == pm }, uintptr(unsafe.Pointer(pm)), ShapeMapVar, true},
		{"SliceAsCall", func() bool {
			y := SliceAsCall(x, (*pairs)(nil), s, ObjectOf)
			return &y[0] == &x[0] && len(y) == 2 && cap(y) == 5
		}, uintptr(unsafe.Pointer(&x[0])), ShapeObject, true},
		{"SeenCall", func() bool { SeenCall(x, s, Object); return true }, uintptr(unsafe.Pointer(&x[0])), ShapeObject, false},
		{"SeenOfCall", func() bool { SeenOfCall(x, s, ObjectOf); return true }, uintptr(unsafe.Pointer(&x[0])), ShapeObject, true},
		{"PtrOfCall", func() bool { return PtrOfCall(p, s, ObjectOf) == p }, uintptr(unsafe.Pointer(p)), ShapeObject, true},
		{"SliceOfCall", func() bool { y := SliceOfCall(x, s, ObjectOf); return &y[0] == &x[0] && len(y) == 2 && cap(y) == 5 }, uintptr(unsafe.Pointer(&x[0])), ShapeObject, true},
		{"RefOfCall map", func() bool { return RefOfCall(m, s, MapOf)["a"] == 1 }, word(unsafe.Pointer(&m)), ShapeMap, true},
		{"RefOfCall chan", func() bool { return RefOfCall(ch, s, ChanOf) == ch }, word(unsafe.Pointer(&ch)), ShapeChan, true},
	} {
		reset(0)
		if !tt.call() {
			t.Errorf("%s: another value came back", tt.name)
		}
		if len(taken.samples) != 1 {
			t.Errorf("%s: %d samples, want 1", tt.name, len(taken.samples))
			continue
		}
		got := taken.samples[0]
		if got.Addr != tt.addr || got.Site != s || got.Shape != tt.shape || (got.Type != nil) != tt.typed {
			t.Errorf("%s: sample %+v", tt.name, got)
		}
		reset(never)
		if !tt.call() || len(taken.samples) != 0 {
			t.Errorf("%s: %d samples before the countdown ran out", tt.name, len(taken.samples))
		}
	}
}

const never = 1 << 62

// TestNothingEscapes: what is on the stack without a helper stays there with one.
func TestNothingEscapes(t *testing.T) {
	s := &table.Sites[0]
	reset(never)
	sum := 0
	allocs := testing.AllocsPerRun(100, func() {
		sum += Ptr(&[4]int{1}, s, Object)[0]
		sum += len(Slice(make([]*int, 8), s, Object))
		sum += len(Ref(map[int]int{1: 1}, s, Map))
		sum += len(*Ptr(&[]int{1, 2}, s, SliceVar)) + len(*Ptr(&map[int]int{}, s, MapVar))
		sum += PtrOf(&[4]int{1}, s, ObjectOf)[0] + len(SliceOf(make([]int, 8), s, ObjectOf))
		sum += len(RefOf(map[int]int{1: 1}, s, MapOf))
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}

// TestGoroutines runs the helpers on many goroutines; run it with -race.
func TestGoroutines(t *testing.T) {
	reset(100)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := range 1000 {
				if p := Ptr(&[2]int{i, i}, &table.Sites[2], Object); p[1] != i {
					t.Error("another object came back")
				}
			}
		})
	}
	wg.Wait()
	if n := len(taken.samples); n == 0 || n > 16*1000 {
		t.Errorf("%d samples", n)
	}
}

var sink *[3]int

// BenchmarkHelper measures a helper's call against none, around an allocation that stays on
// the stack (so that only the helper is left) and one that goes to the heap.
func BenchmarkHelper(b *testing.B) {
	s := &table.Sites[0]
	b.Run("stack/plain", func(b *testing.B) {
		for i := range b.N {
			p := &[3]int{i}
			keep(p)
		}
	})
	b.Run("stack/Ptr", func(b *testing.B) {
		reset(never)
		for i := range b.N {
			p := Ptr(&[3]int{i}, s, Object)
			keep(p)
		}
	})
	b.Run("heap/plain", func(b *testing.B) {
		for i := range b.N {
			sink = &[3]int{i}
		}
	})
	b.Run("heap/Ptr", func(b *testing.B) {
		reset(never)
		for i := range b.N {
			sink = Ptr(&[3]int{i}, s, Object)
		}
	})
}

// keep has p computed, and does not let it escape.
//
//go:noinline
func keep(p *[3]int) {}
