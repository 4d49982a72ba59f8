//go:build ignore

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/exithook"
	"internal/runtime/gc"
	"internal/runtime/sys"
	"unsafe"
)

// Read-only accessors for FiLiP's collector, appended to package runtime of Go 1.25 and
// 1.26. Nothing in the runtime calls them.

// What the collector uses of the runtime as it is. A definition that is marked so may be
// referred to from outside the standard library.

//go:linkname argslice
//go:linkname gogetenv
//go:linkname write1
//go:linkname zerobase

// filip_addExitHook has f called when main returns or os.Exit is called.
//
//go:linkname filip_addExitHook
func filip_addExitHook(f func()) {
	exithook.Add(exithook.Hook{F: f, RunOnFailure: true})
}

// filip_object returns the heap slot that p is in: base 0 for stacks, static data, free
// spans and user arenas. tiny: of the size and kind that the tiny allocator uses for its blocks.
// cycle is the number of mark phases started, marking whether the last has not ended; turn changes
// as one starts or ends, and whenever another goroutine
// runs on this P, or this one on another.
//
//go:linkname filip_object
func filip_object(p uintptr) (base, size uintptr, tiny bool, cycle uint32, marking bool, turn uint64) {
	s := spanOfHeap(p)
	if s == nil || s.isUserArenaChunk {
		return 0, 0, false, 0, false, 0
	}
	ended := filip_gcCompleted()
	cycle = work.cycles.Load()
	if pp := getg().m.p.ptr(); pp != nil {
		turn = uint64(pp.id)<<52 ^ uint64(cycle+ended)<<40 ^ uint64(pp.schedtick)<<16 ^ uint64(pp.syscalltick)
	}
	return s.base() + s.objIndex(p)*s.elemsize, s.elemsize, s.spanclass == tinySpanClass, cycle, cycle != ended, turn
}

// A filip_row has the numbers from next to end, which one P hands out.
type filip_row struct {
	next, end uint64
	_         [64 - 16]byte // a cache line
}

//go:nosplit
func filip_rowOf(rows *filip_row, n uint32) *filip_row {
	pp := getg().m.p.ptr()
	if pp == nil || uint32(pp.id) >= n {
		return nil
	}
	return (*filip_row)(add(unsafe.Pointer(rows), uintptr(pp.id)*unsafe.Sizeof(filip_row{})))
}

// filip_next takes the next number of this P's row, of n rows. It returns 0 if the row is used up, or
// if there is none. No goroutine is preempted in package runtime, so nobody else takes the same.
//
//go:nosplit
//go:linkname filip_next
func filip_next(rows *filip_row, n uint32) (next uint64) {
	row := filip_rowOf(rows, n)
	if row == nil || row.next == row.end {
		return 0
	}
	next = row.next
	row.next++
	return next
}

// filip_refill puts numbers into this P's row if it is used up, and reports whether it was; none
// says that there is no row for this P.
//
//go:nosplit
//go:linkname filip_refill
func filip_refill(rows *filip_row, n uint32, next, end uint64) (was, none bool) {
	row := filip_rowOf(rows, n)
	if row == nil || row.next != row.end {
		return false, row == nil
	}
	row.next, row.end = next, end
	return true, false
}

// filip_tinyEnd returns where the tiny allocator goes on in the block that p is in, or 0 if
// this P is no longer at that block.
//
//go:linkname filip_tinyEnd
func filip_tinyEnd(p uintptr) uintptr {
	mp := acquirem()
	var end uintptr
	if c := getMCache(mp); c != nil && c.tiny != 0 && p >= c.tiny && p < c.tiny+maxTinySize {
		end = c.tiny + c.tinyoffset
	}
	releasem(mp)
	return end
}

// filip_gcCycle is the number of mark phases started.
//
//go:linkname filip_gcCycle
func filip_gcCycle() uint32 { return work.cycles.Load() }

// filip_gcCompleted is the number of mark phases ended.
//
//go:linkname filip_gcCompleted
func filip_gcCompleted() uint32 { return atomic.Load(&memstats.numgc) }

// filip_heapAllocated is what /gc/heap/allocs and /gc/heap/tiny/allocs count (objects of
// the tiny allocator one by one), and in addition what is still in the caches of the Ps,
// which those leave out.
//
//go:linkname filip_heapAllocated
func filip_heapAllocated() (objects, bytes uint64) {
	// Two readers at the same time would lose counts, so runtime/metrics has a lock for it. It
	// is held briefly; but whoever holds it may be a goroutine that does not run just now.
	locked := false
	for try := 0; try < 100; try++ {
		if locked = cansemacquire(&metricsSema); locked {
			break
		}
		osyield()
	}
	mp := acquirem() // no stop-the-world, so allp stays
	var d heapStatsDelta
	if locked {
		memstats.heapStats.read(&d)
	} else { // give or take what is being read
		for i := range memstats.heapStats.stats {
			d.merge(&memstats.heapStats.stats[i])
		}
	}
	objects, bytes = d.largeAllocCount+d.tinyAllocCount, d.largeAlloc
	for i, n := range d.smallAllocCount {
		objects += n
		bytes += n * uint64(gc.SizeClassToSize[i])
	}
	for _, pp := range allp {
		c := pp.mcache
		if c == nil {
			continue
		}
		objects += uint64(c.tinyAllocs)
		for _, s := range c.alloc {
			if s == &emptymspan {
				continue
			}
			if n := int64(s.allocCount) - int64(s.allocCountBeforeCache); n > 0 {
				objects += uint64(n)
				bytes += uint64(n) * uint64(s.elemsize)
			}
		}
	}
	releasem(mp)
	if locked {
		semrelease(&metricsSema)
	}
	return objects, bytes
}

// filip_heapLive is the number of bytes that the last mark found live.
//
//go:linkname filip_heapLive
func filip_heapLive() uint64 { return gcController.heapMarked }

// filip_gcCPU is the CPU time, ns, spent in the collector up to the end of the last cycle.
//
//go:linkname filip_gcCPU
func filip_gcCPU() uint64 { return uint64(work.cpuStats.GCTotalTime) }

// filip_wallTime is the Unix time in ns.
//
//go:linkname filip_wallTime
func filip_wallTime() int64 {
	sec, nsec, _ := time_now()
	return sec*1e9 + int64(nsec)
}

// filip_typeSize is the size of T, given the descriptor of *T; 0 for a slice type, whose
// elements are meant.
//
//go:linkname filip_typeSize
func filip_typeSize(ptr unsafe.Pointer) uintptr {
	t := (*_type)(ptr)
	if t.Kind() != abi.Pointer {
		return 0
	}
	t = (*abi.PtrType)(ptr).Elem
	if t.Kind() == abi.Slice {
		return 0
	}
	return t.Size_
}

// filip_typeName writes the name of T to buf, given the descriptor of *T, with package paths in
// full, as far as buf has room. It returns how long it is.
//
//go:linkname filip_typeName
func filip_typeName(ptr unsafe.Pointer, buf []byte) (n int) {
	t := (*_type)(ptr)
	if t.Kind() == abi.Pointer {
		t = (*abi.PtrType)(ptr).Elem
	}
	return len(filip_appendType(buf[:0], t))
}

// filip_appendType spells types as package rewrite does: byte and any, package paths in full.
func filip_appendType(buf []byte, t *_type) []byte {
	rt := toRType(t)
	switch kind := t.Kind(); {
	case t.TFlag&abi.TFlagNamed != 0:
		path := rt.pkgpath()
		if path == "" && kind == abi.Uint8 {
			return filip_append(buf, "byte")
		}
		if path != "" {
			buf = filip_append(filip_append(buf, path), ".")
		}
		return filip_append(buf, rt.name())
	case kind == abi.Pointer:
		return filip_appendType(filip_append(buf, "*"), (*abi.PtrType)(unsafe.Pointer(t)).Elem)
	case kind == abi.Slice:
		return filip_appendType(filip_append(buf, "[]"), (*abi.SliceType)(unsafe.Pointer(t)).Elem)
	case kind == abi.Array:
		a := (*abi.ArrayType)(unsafe.Pointer(t))
		var digits [20]byte
		n := itoa(digits[:], uint64(a.Len))
		buf = filip_append(filip_append(buf, "["), unsafe.String(&n[0], len(n)))
		return filip_appendType(filip_append(buf, "]"), a.Elem)
	case kind == abi.Map:
		m := (*filip_mapType)(unsafe.Pointer(t))
		buf = filip_appendType(filip_append(buf, "map["), m.Key)
		return filip_appendType(filip_append(buf, "]"), m.Elem)
	case kind == abi.Chan && (*abi.ChanType)(unsafe.Pointer(t)).Dir == abi.BothDir:
		return filip_appendType(filip_append(buf, "chan "), (*abi.ChanType)(unsafe.Pointer(t)).Elem)
	case kind == abi.Struct:
		buf = filip_append(buf, "struct{")
		fields := (*abi.StructType)(unsafe.Pointer(t)).Fields
		for i := range fields {
			if i > 0 {
				buf = filip_append(buf, "; ")
			}
			if f := &fields[i]; !f.Embedded() {
				buf = filip_append(filip_append(buf, f.Name.Name()), " ")
			}
			buf = filip_appendType(buf, fields[i].Typ)
		}
		return filip_append(buf, "}")
	case kind == abi.Interface && len((*abi.InterfaceType)(unsafe.Pointer(t)).Methods) == 0:
		return filip_append(buf, "any")
	}
	return filip_append(buf, rt.string())
}

// filip_mapType is the start of abi.MapType, which has other names in Go 1.25.
type filip_mapType struct {
	abi.Type
	Key, Elem *_type
}

func filip_append(buf []byte, s string) []byte {
	n := copy(buf[len(buf):cap(buf)], s)
	return buf[:len(buf)+n]
}

// filip_panicking reports whether the program is dying of an unrecovered panic or a fatal error.
//
//go:nosplit
//go:linkname filip_panicking
func filip_panicking() bool { return panicking.Load() > 0 }

// filip_sweep sweeps until all is swept, for at most ns.
//
//go:linkname filip_sweep
func filip_sweep(ns int64) {
	for start := nanotime(); !isSweepDone() && nanotime()-start < ns; {
		if sweepone() == ^uintptr(0) {
			Gosched() // another goroutine has the last span
		}
	}
}

// filip_flushCleanups waits for the queue of cleanups, at most 50 ms. (It is handed on only
// once all is swept; before, waiting is in vain.)
//
//go:linkname filip_flushCleanups
func filip_flushCleanups() {
	if isSweepDone() && gcCleanups.flushed.Load() {
		gcCleanups.blockUntilEmpty(50e6)
	}
}

// filip_callers notes the return addresses of the stack, from its caller's on; calls that were
// inlined have none of their own (see filip_frame). Following the frame pointers takes a
// fraction of the time. It is not done in what runs while the goroutine panics, because the
// function that a signal interrupted may have no frame yet, nor above frames of C.
//
//go:linkname filip_callers
func filip_callers(pcs []uintptr) int {
	gp, n := getg(), 0
	if gp != gp.m.curg {
		return 0
	}
	const word = unsafe.Sizeof(uintptr(0))
	if fp := getfp(); fp != 0 && gp._panic == nil && !gp.m.hasCgoOnStack() {
		for n < len(pcs) && gp.stack.lo <= fp && fp < gp.stack.hi-word {
			pcs[n] = *(*uintptr)(unsafe.Pointer(fp + word))
			n++
			below := fp
			if fp = *(*uintptr)(unsafe.Pointer(fp)); fp <= below {
				break
			}
		}
		return n
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	systemstack(func() {
		var u unwinder
		for u.initAt(pc, sp, 0, gp, unwindSilentErrors); n < len(pcs) && u.valid(); u.next() {
			pcs[n] = u.symPC() + 1
			n++
		}
	})
	return n
}

// filip_function is the name of the function that was called to return to pc, those inlined
// there left aside.
//
//go:linkname filip_function
func filip_function(pc uintptr) string { return funcname(findfunc(pc - 1)) }

// filip_frame describes the innermost call that returns to pc, inlined or not: the function,
// spelled into buf as runtime.Frame has it, in n bytes, file and line. If it was inlined,
// outer stands for the return from it, else it is 0. Tracebacks leave out wrappers, which
// hidden says; that depends on the kind of function that they call.
//
//go:linkname filip_frame
func filip_frame(pc uintptr, calls uint8, buf []byte) (n int, file string, line int32, outer uintptr, kind uint8, hidden bool) {
	f := findfunc(pc - 1)
	if !f.valid() {
		return 0, "", 0, 0, calls, true // C
	}
	u, uf := newInlineUnwinder(f, pc-1)
	sf := u.srcFunc(uf)
	a, b, c := funcNamePiecesForPrint(sf.name())
	n = len(filip_append(filip_append(filip_append(buf[:0], a), b), c))
	file, line = funcline1(f, pc-1, false)
	if uf = u.next(uf); uf.valid() {
		outer = uf.pc + 1
	}
	return n, file, line, outer, uint8(sf.funcID), sf.funcID == abi.FuncIDWrapper && elideWrapperCalling(abi.FuncID(calls))
}

// The ticker is a goroutine of the runtime, so that it is counted neither by NumGoroutine
// nor by the deadlock detector. A sleeping goroutine would still keep the detector from
// finding a deadlock; so where nothing else is running it rests without a timer until
// filip_wakeTicker.
var (
	filip_tick         func()
	filip_ticker       *g
	filip_tickerParked uint32
)

//go:linkname filip_tickerParked

//go:linkname filip_startTicker
func filip_startTicker(tick func()) {
	filip_tick = tick
	go filip_runTicker()
}

func filip_runTicker() {
	filip_ticker = getg()
	for pause := int64(1e6); ; pause = min(2*pause, 100e6) { // a short run has its totals too
		timeSleep(pause)
		filip_tick()
		if filip_nothingRuns() {
			gopark(filip_park, nil, waitReasonZero, traceBlockGeneric, 1)
		}
	}
}

func filip_park(*g, unsafe.Pointer) bool {
	atomic.Store(&filip_tickerParked, 1)
	return true
}

// filip_wakeTicker may be called by any number of goroutines; one of them wakes it.
//
//go:linkname filip_wakeTicker
func filip_wakeTicker() {
	if atomic.Cas(&filip_tickerParked, 1, 0) {
		goready(filip_ticker, 1)
	}
}

// filip_nothingRuns reports whether all other Ps are idle and no goroutine is runnable.
func filip_nothingRuns() bool {
	mp := acquirem()
	nothing := int32(gomaxprocs)-1 <= sched.npidle.Load() && runqempty(mp.p.ptr()) && sched.runq.empty()
	releasem(mp)
	return nothing
}

// The forcer is a goroutine like the ticker. It runs a collection whenever none has ended
// for a period. Where nothing runs nothing dies, and a deadlock is to be found: a second after
// the last sign of life (a birth), if a cycle has begun and ended since, or else after five,
// it rests without a timer until the next.
var (
	filip_forcePeriod int64
	filip_forcer      *g
	filip_forcerSaw   uint32 = filip_life // so that nobody calls filip_wakeForcer where there is no forcer
)

const (
	filip_nothing = iota // since the forcer last looked
	filip_life
	filip_resting
)

//go:linkname filip_forcerSaw

//go:linkname filip_startForcer
func filip_startForcer(period int64) {
	filip_forcePeriod = period
	atomic.Store(&filip_forcerSaw, filip_nothing)
	go filip_runForcer()
}

func filip_runForcer() {
	filip_forcer = getg()
	start := nanotime()
	life, cycle := start, work.cycles.Load() // at the last sign of life
	for {
		timeSleep(min(filip_forceAt(start)-nanotime(), 100e6))
		now := nanotime()
		if atomic.Xchg(&filip_forcerSaw, filip_nothing) == filip_life {
			life, cycle = now, work.cycles.Load()
		}
		switch {
		case now-life > 1e9 && (atomic.Load(&memstats.numgc) > cycle || now-life > 5e9) && filip_comesToRest():
			gopark(filip_parkForcer, nil, waitReasonZero, traceBlockGeneric, 1)
		case now >= filip_forceAt(start):
			GC()
		}
	}
}

// filip_comesToRest reports whether nothing runs, give or take the threads that the timer has woken
// to look for work.
func filip_comesToRest() bool {
	for range 50 {
		if filip_nothingRuns() {
			return true
		}
		osyield()
	}
	return false
}

// filip_forceAt is when the next collection is due.
func filip_forceAt(start int64) int64 {
	return max(start, int64(atomic.Load64(&memstats.last_gc_nanotime))) + filip_forcePeriod
}

func filip_parkForcer(*g, unsafe.Pointer) bool {
	return atomic.Cas(&filip_forcerSaw, filip_nothing, filip_resting)
}

// filip_wakeForcer may be called by any number of goroutines; one of them wakes it.
//
//go:linkname filip_wakeForcer
func filip_wakeForcer() {
	if atomic.Xchg(&filip_forcerSaw, filip_life) == filip_resting {
		goready(filip_forcer, 1)
	}
}

// For FILIP_TRACE (see runtime/collect/trace.go). Like the ticker, the goroutines that read the trace
// and that stop it are of the runtime.
var (
	filip_writeTrace   func(part []byte)
	filip_traceStopped note
)

// filip_startTrace starts an execution trace and has its parts written. It reports whether it
// could: not if there is a trace already, and not where the goroutine must not be stopped.
//
//go:linkname filip_startTrace
func filip_startTrace(write func(part []byte)) bool {
	if mp := getg().m; mp.locks != 0 || mp.preemptoff != "" || StartTrace() != nil {
		return false
	}
	filip_writeTrace = write
	go filip_readTrace()
	return true
}

func filip_readTrace() {
	for part := ReadTrace(); part != nil; part = ReadTrace() {
		filip_writeTrace(part)
	}
}

// filip_stopTrace stops the trace that filip_startTrace started.
//
//go:linkname filip_stopTrace
func filip_stopTrace() { go filip_finishTrace() }

func filip_finishTrace() {
	StopTrace() // returns when all of it is read
	notewakeup(&filip_traceStopped)
}

// filip_awaitTrace waits, at most the given time, ns, until the trace is stopped, and reports whether
// it is. No clock of a synctest bubble counts here.
//
//go:linkname filip_awaitTrace
func filip_awaitTrace(wait int64) bool { return notetsleepg(&filip_traceStopped, wait) }
