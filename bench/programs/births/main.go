// Births allocates a million objects and prints what that, and their deaths, cost in CPU
// time: "birth NS" and "death NS" per object. The collector runs only when told to.
package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

const objects = 1_000_000

type object struct{ a, b, c *object }

var kept [objects]*object

func main() {
	debug.SetGCPercent(-1)
	kept[0] = &object{}
	start := cpu()
	for i := range kept {
		kept[i] = &object{}
	}
	birth := cpu() - start

	// What a collection costs while all are alive is not the price of a death.
	start = cpu()
	runtime.GC()
	settle()
	alive := cpu() - start
	clear(kept[:])
	start = cpu()
	runtime.GC()
	settle()
	death := cpu() - start
	fmt.Printf("birth %d\nalive %d\ndeath %d\n", birth/objects, alive/objects, death/objects)
}

// settle waits until the process is idle: what the collector found is told by other
// goroutines.
func settle() {
	for busy := true; busy; {
		before := cpu()
		time.Sleep(20 * time.Millisecond)
		busy = cpu()-before > 2*time.Millisecond
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
