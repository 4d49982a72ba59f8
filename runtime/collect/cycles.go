//go:build filip_cycles

package collect

import (
	_ "unsafe" // for linkname

	"github.com/filip-go/filip/format"
)

// The cycles of the garbage collector, where the accessor file for them is in package runtime
// (toolexec/accessor/cycles_go*.go): for each an entry of what it did, and a census.

//go:linkname watchGC runtime.filip_watchCycles
func watchGC(before func(), after func(cycle uint32))

//go:linkname hookPools runtime.filip_hookPools
func hookPools() bool

// settled is set once sync has registered what we are to run before.
var settled uint32

// settle is called at each birth: the packages of the program are initialised one by one.
func settle() {
	if load(&settled) == 0 && hookPools() {
		store(&settled, 1)
	}
}

//go:linkname inCycle runtime.filip_inCycle
func inCycle(cycle uint32, swept bool, f func()) (state int)

// States of a cycle, as inCycle returns them.
const (
	cycleOver = iota // the next one has begun
	cycleSweeping
	cycleRan // f was called
)

//go:linkname cycleStart runtime.filip_cycleStart
func cycleStart(c *cycle)

//go:linkname cycleEnd runtime.filip_cycleEnd
//go:noescape
func cycleEnd(c *cycle)

//go:linkname rest runtime.filip_rest
func rest(ns int64)

// cycle has the layout of filip_cycle in the accessor file.
type cycle struct {
	number, forced                              uint32
	start, mark, markEnd, end, pause            int64
	heapStart, heapEnd, marked, goal            uint64
	assistCPU, backgroundCPU, idleCPU, totalCPU int64
}

// cycles follows the cycles. All but busy changes only within inCycle or with the world
// stopped.
var cycles struct {
	begun cycle // the newest to begin; only its start is known
	last  uint32
	end   int64 // of the last one's mark
	noted pending[cycle]
	busy  uint32 // 1 while a goroutine writes what is pending
}

// pending has what was noted, perhaps with the world stopped, until its entries are written.
type pending[T any] struct {
	items   [64]T
	noted   uint32
	written uint32
}

// note adds an item. It is lost if as many follow as there is room for before it is written.
func (p *pending[T]) note(item T) {
	p.items[p.noted%uint32(len(p.items))] = item
	store(&p.noted, p.noted+1)
}

// write hands the items to a function, one goroutine at a time, until that fails.
func (p *pending[T]) write(entry func(T) bool) {
	for noted := load(&p.noted); p.written != noted; p.written++ {
		if noted-p.written > uint32(len(p.items)) {
			p.written = noted - uint32(len(p.items))
		}
		if !entry(p.items[p.written%uint32(len(p.items))]) {
			return
		}
	}
}

// watchCycles follows the cycles from now on.
func watchCycles() {
	cycles.last = gcCompleted()
	census.done = cycles.last
	watchGC(beforeMark, afterMark)
}

// beforeMark runs with the world stopped: what it does not do for the cycle that is over can
// never be done.
func beforeMark() {
	n := gcCompleted()
	noteCycle()
	if observer == format.ObserverCensus {
		census.finish(n)
	}
	cycles.begun.number = n + 1
	cycleStart(&cycles.begun)
}

// afterMark runs as soon as it is scheduled.
func afterMark(n uint32) {
	last := cycles.end
	inCycle(n, false, noteCycle)
	// While others sweep, this goroutine rests for parts of the time that it has. A small census
	// is not worth its waking: it is taken before the next mark.
	pause := min(max((cycles.end-last)/8, 100e3), 1e6)
	for observer == format.ObserverCensus && census.large() && load(&census.done) != n {
		state := inCycle(n, true, takeCensus)
		if state == cycleOver {
			break
		}
		if state == cycleSweeping {
			rest(pause)
		}
	}
	writeCycles()
}

// noteCycle notes the last cycle whose mark has ended. No other may have begun its mark.
func noteCycle() {
	n := gcCompleted()
	if n == cycles.last {
		return
	}
	cycles.last = n
	var c cycle
	if cycles.begun.number == n {
		c = cycles.begun
	}
	cycleEnd(&c)
	cycles.end = c.end
	cycles.noted.note(c)
}

// writeCycles writes the entries of the cycles noted meanwhile, and of their censuses.
func writeCycles() {
	if cas(&cycles.busy, 0, 1) {
		cycles.noted.write(writeCycle)
		census.noted.write(writeCensus)
		store(&cycles.busy, 0)
	}
}

func writeCycle(c cycle) bool {
	e, ok := file.newEntry(format.EntryGC, format.GCSize)
	if !ok {
		return false
	}
	flags := c.forced * format.GCForced
	if c.start == 0 {
		flags |= format.GCPartial
	}
	e.u32(c.number)
	e.u32(flags)
	for _, t := range [...]int64{c.start, c.mark, c.markEnd, c.end} {
		e.u64(sinceStart(t))
	}
	e.u64(uint64(c.pause))
	e.u64(c.heapStart)
	e.u64(c.heapEnd)
	e.u64(c.marked)
	e.u64(c.goal)
	e.u64(uint64(c.assistCPU))
	e.u64(uint64(c.backgroundCPU))
	e.u64(uint64(c.idleCPU))
	e.u64(uint64(c.totalCPU))
	e.u64(elapsed())
	objects, bytes, ours, oursBytes := allocated()
	e.u64(objects)
	e.u64(bytes)
	e.u64(ours)
	e.u64(oursBytes)
	e.commit()
	return true
}

// sinceStart is the time since the start of the program for a time of nanotime, 0 if unknown.
func sinceStart(t int64) uint64 {
	if t == 0 {
		return 0
	}
	return uint64(max(1, t-startTime))
}
