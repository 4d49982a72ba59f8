//go:build !filip_cycles

package collect

import (
	goruntime "runtime"

	"github.com/filip-go/filip/format"
)

// Without the accessor file for the cycles of the garbage collector, which is there for known
// versions of Go only, an object that nobody holds tells of each cycle: it is found dead.

const defaultObserver = format.ObserverCleanup

func createCensus(uint64) bool { return false }
func watchBlock(uint64)        {}
func hookPools() bool          { return true }
func settle()                  {}
func lastCensus(int64)         {}

// watchCycles arranges for a timeline entry after each GC cycle.
func watchCycles() {
	goruntime.AddCleanup((*byte)(newSlot()), cycleFound, 0)
	xadd64(&ownObjects, int64(watchObjects)+1)
	xadd64(&ownBytes, int64(watchBytes)+tinyBlock)
}

func cycleFound(int) {
	watchCycles()
	timeline(format.CauseGC)
}
