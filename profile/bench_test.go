package profile

import (
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile/profiletest"
)

const benchRecords = 5_000_000

// benchFile writes a file of benchRecords records of 2000 sites.
func benchFile(name string) error {
	f := profiletest.New(1)
	f.Program("bench")
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		f.Site(format.Site{File: "/src/bench/file.go", Line: i + 1, Function: "bench.F", Package: "bench", Kind: format.KindNew, Type: "bench.T"})
	}
	for i := range int64(benchRecords) {
		r := profiletest.Record{Birth: i * 1000, Bytes: 48, Site: 1 + rng.Uint32N(2000), BirthCycle: uint32(i / 100_000)}
		if rng.Uint32N(4) > 0 {
			r.Dead, r.End, r.DeathCycle = true, r.Birth+rng.Int64N(1e8), r.BirthCycle+1
		}
		f.Record(r)
	}
	f.Time(benchRecords*1000, format.CauseEnd, 50, benchRecords)
	return f.Write(name)
}

// BenchmarkDecode reads a profile of 5 million records (160 MB). peak-MB is the greatest
// amount of heap memory in use meanwhile, what the iteration before left behind included.
func BenchmarkDecode(b *testing.B) {
	name := filepath.Join(b.TempDir(), "bench.filip")
	if err := benchFile(name); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	runtime.GC()
	peak := watchHeap()
	b.SetBytes(benchRecords * format.RecordSize)
	b.ReportAllocs()
	for b.Loop() {
		p, err := Read(name)
		if err != nil {
			b.Fatal(err)
		}
		if len(p.Records) != benchRecords {
			b.Fatalf("%d records", len(p.Records))
		}
	}
	b.ReportMetric(float64(peak())/1e6, "peak-MB")
}

// watchHeap samples the bytes of heap objects, dead ones included, until the function it
// returns is called, which gives the greatest sample.
func watchHeap() func() uint64 {
	stop := make(chan struct{})
	var most uint64
	var wait sync.WaitGroup
	wait.Go(func() {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(s)
			most = max(most, s[0].Value.Uint64())
			select {
			case <-stop:
				return
			default:
				time.Sleep(time.Millisecond)
			}
		}
	})
	return func() uint64 { close(stop); wait.Wait(); return most }
}

// BenchmarkDateDeaths dates the deaths of 5 million records of a run of 5000 cycles, 1 of
// them missing.
func BenchmarkDateDeaths(b *testing.B) {
	const cycles = 5000
	rng := rand.New(rand.NewPCG(1, 2))
	p := &Profile{Observer: format.ObserverCensus, Records: make([]Record, benchRecords)}
	for n := range uint32(cycles) {
		if n != cycles/2 {
			p.Cycles = append(p.Cycles, Cycle{Number: n + 1, End: int64(n+1) * 1e6})
		}
	}
	for i := range p.Records {
		p.Records[i] = Record{Birth: int64(i), Dead: i%4 > 0, DeathCycle: uint32(i/(benchRecords/cycles)) + 1 + rng.Uint32N(3)}
	}
	d := &decoder{p: p}
	for b.Loop() {
		d.dateDeaths()
	}
}
