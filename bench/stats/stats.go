// Package stats lets a benchmark program say what it did to the heap.
package stats

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"time"
)

// Report writes the heap objects and bytes allocated so far to the file named by
// BENCH_STATS, if it is set. Objects of the tiny allocator count one by one. With BENCH_GC, what is
// garbage by then is collected first.
func Report() {
	if os.Getenv("BENCH_GC") != "" {
		settle()
	}
	name := os.Getenv("BENCH_STATS")
	if name == "" {
		return
	}
	s := []metrics.Sample{
		{Name: "/gc/heap/allocs:objects"}, {Name: "/gc/heap/tiny/allocs:objects"},
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(s)
	text := fmt.Sprintf("%d %d %d\n", s[0].Value.Uint64()+s[1].Value.Uint64(), s[2].Value.Uint64(), s[3].Value.Uint64())
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settle returns when all that is garbage has been found dead, and cleanups have told of it. Pools
// keep what they hold for two cycles.
func settle() {
	s := []metrics.Sample{{Name: "/gc/cleanups/queued:cleanups"}, {Name: "/gc/cleanups/executed:cleanups"}}
	for range 3 {
		runtime.GC()
		for {
			time.Sleep(10 * time.Millisecond)
			metrics.Read(s)
			if s[0].Value.Kind() == metrics.KindBad { // Go 1.25 does not count them
				time.Sleep(time.Second)
				break
			}
			if s[0].Value.Uint64() == s[1].Value.Uint64() {
				break
			}
		}
	}
}
