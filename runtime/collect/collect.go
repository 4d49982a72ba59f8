// Package collect is linked into every instrumented program. It notes the births and
// deaths of the sampled objects, and the GC's clock, in a memory-mapped profile file.
//
// It runs inside somebody else's program, so it obeys three rules. It never waits: where
// another goroutine is in the way it takes another record, and where there is none it counts
// the sample as dropped (a goroutine that waits may be pinned, and the one it waits for
// stopped by the collector). It keeps nothing on the Go heap: the collector would mark
// it in every cycle. And whatever is written is complete with its last store: the process
// may end at any instruction.
package collect

import (
	"unsafe"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/runtime"
	"github.com/filip-go/filip/sampler"
)

// Phases of collection.
const (
	idle     = iota // nothing has been allocated yet
	starting        // one goroutine is in start
	on
	off
)

var phase uint32

// never is a countdown that does not run out: 2^62 allocations take a century.
const never = 1 << 62

// samplers has the sampler of each thinning level.
var samplers [format.StateLevelMask + 1]sampler.Sampler

var baseRate float64 // N of level 0: the weight of every record

var observer uint32 // of deaths: one of format's Observer constants

// take is the slow path of every helper: the countdown c has run out, and s is the
// allocation it ran out at.
//
//go:linkname take filip.take
func take(c *runtime.Counter, s runtime.Sample) {
	if !collecting(c) {
		return
	}
	level, drawn := redraw(c)
	if k := samplers[drawn].K(); k > 1 && (xadd(&s.Site.Candidates, 1)+phase0(unsafe.Pointer(s.Site)))%k != 0 {
		return
	}
	if !outlives(c, drawn, level) { // the gap was drawn when samples were denser
		return
	}
	notice()
	switch s.Shape {
	case runtime.ShapeSliceVar, runtime.ShapeMapVar:
		bornVar(c, &s, level)
	default:
		born(c, &s, level)
	}
}

// collecting starts collection at the first candidate of all, and reports whether there is one at
// hand.
func collecting(c *runtime.Counter) bool {
	switch load(&phase) {
	case on:
		return true
	case idle:
		if !cas(&phase, idle, starting) {
			return false
		}
		if !start() {
			disarm()
			store(&phase, off)
			return false
		}
		store(&phase, on)
		// This first allocation counts like any other.
		c.Left--
		return c.Left < 0
	case off:
		c.Left = never
	}
	return false // while it starts the countdown stays below 0: the next allocation asks again
}

// redraw starts the next countdown. It returns the thinning level, and that for which the one that
// has run out was drawn.
func redraw(c *runtime.Counter) (level, drawn uint32) {
	level, drawn = load(file.u32(format.HeaderLevel)), c.Level
	c.Level = level
	c.Left = samplers[level].Next(&c.Seed)
	return level, drawn
}

// notice is called at each sample: it is a sign of life.
func notice() {
	settle()
	wakeTicker()
	wakeForcer()
}

// phase0 is where the site that keeps its count at p starts to count its candidates: anywhere, but
// the same in all of a run.
func phase0(p unsafe.Pointer) uint32 {
	seed := phaseSeed ^ uint64(uintptr(p))
	return uint32(sampler.Random(&seed))
}

var phaseSeed uint64

// disarm stops the countdowns.
func disarm() {
	for i := range runtime.Counters {
		runtime.Counters[i].Left = never
	}
	for i := range hookCounters {
		hookCounters[i].Left = never
	}
}

// arm starts the countdowns. The gaps of a counter come from its own random numbers.
func arm(seed uint64) {
	phaseSeed = sampler.Random(&seed)
	for i := range runtime.Counters {
		armCounter(&runtime.Counters[i], &seed)
	}
	for i := range hookCounters {
		armCounter(&hookCounters[i], &seed)
	}
}

func armCounter(c *runtime.Counter, seed *uint64) {
	c.Seed = sampler.Random(seed)
	c.Left = samplers[0].First(&c.Seed)
}

// start reads the settings and opens the profile. It reports whether the program is to be
// profiled; what is wrong with the settings it says on stderr.
func start() bool {
	rate := getenv("FILIP_RATE")
	n, ok := sampler.ParseRate(rate)
	if !ok {
		complain("FILIP_RATE=", rate, " is not a sampling rate (1/1000, 1000, 0.001 and 0.1% are): the program runs unprofiled")
		return false
	}
	if n == 0 {
		return false
	}
	if !supported {
		complain("profiles cannot be collected on ", goos+"/"+goarch, ": the program runs unprofiled")
		return false
	}
	design, ok := sampler.ParseDesign(getenv("FILIP_SAMPLER"))
	if !ok {
		complain("FILIP_SAMPLER=", getenv("FILIP_SAMPLER"), " is not a sampling design (geometric and every are): the program runs unprofiled")
		return false
	}
	switch observer = defaultObserver; getenv("FILIP_OBSERVER") {
	case "":
	case "census":
		observer = format.ObserverCensus
	case "cleanup":
		observer = format.ObserverCleanup
	default:
		complain("FILIP_OBSERVER=", getenv("FILIP_OBSERVER"), " is not an observer of deaths (census and cleanup are): the program runs unprofiled")
		return false
	}
	limit, ok := parseSize(getenv("FILIP_MAX"))
	if !ok {
		complain("FILIP_MAX=", getenv("FILIP_MAX"), " is not a size from 1MiB to 128GiB (256MiB, 1GiB and 500000000 are): the program runs unprofiled")
		return false
	}
	period, ok := parsePeriod(getenv("FILIP_GC"))
	if !ok {
		complain("FILIP_GC=", getenv("FILIP_GC"), " is not a period from 1ms to 1h (200ms and 2s are): the program runs unprofiled")
		return false
	}
	depth, ok := parseDepth(getenv("FILIP_STACK"), n)
	if !ok {
		complain("FILIP_STACK=", getenv("FILIP_STACK"), " is not a number of frames from 0 to 128: the program runs unprofiled")
		return false
	}
	startTime = nanotime()
	if !file.create(getenv("FILIP_OUT"), limit) {
		return false
	}
	if observer == format.ObserverCensus && !createCensus(file.max) {
		observer = format.ObserverCleanup
		complain("no census of deaths is possible: cleanups observe them")
	}
	for level := range samplers {
		samplers[level] = sampler.New(design, n*float64(uint64(1)<<level))
	}
	baseRate = n
	file.begin(n, design)
	startStacks(depth)
	note(format.MetaRate, rate)
	note(format.MetaKinds, kindsSeen())
	if hookedPackages != "" {
		note(format.MetaPackages, hookedPackages)
	}
	if observer == format.ObserverCleanup {
		calibrate()
	}
	seed := seedFrom(getenv("FILIP_SEED"))
	startClock()
	forceCycles(period)
	startTrace()
	arm(seed)
	return true
}

// kindsSeen lists the kinds of allocation that are seen.
func kindsSeen() string {
	list := ""
	for kind := format.Kind(1); kind < format.NumKinds; kind++ {
		if hookedKinds>>kind&1 != 0 {
			if list != "" {
				list += ","
			}
			list += kind.String()
		}
	}
	return list
}

// seedFrom turns FILIP_SEED, any text, into a seed; without one every run differs.
func seedFrom(s string) uint64 {
	if s == "" {
		return random()
	}
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// parseSize reads FILIP_MAX: bytes, with an optional unit.
func parseSize(s string) (n int64, ok bool) {
	if s == "" {
		return 256 << 20, true
	}
	i := 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9' && n < 1<<50; i++ {
		n = n*10 + int64(s[i]-'0')
	}
	if i == 0 {
		return 0, false
	}
	switch s[i:] {
	case "", "B":
	case "kB", "KB":
		n *= 1e3
	case "MB":
		n *= 1e6
	case "GB":
		n *= 1e9
	case "KiB", "K", "k":
		n <<= 10
	case "MiB", "M", "m":
		n <<= 20
	case "GiB", "G", "g":
		n <<= 30
	default:
		return 0, false
	}
	return n, n >= 1<<20 && n <= 128<<30 // ids of records have 32 bits
}

// complain says one sentence on stderr.
func complain(parts ...string) {
	msg := "filip: "
	for _, p := range parts {
		msg += p
	}
	msg += "\n"
	write1(2, unsafe.Pointer(unsafe.StringData(msg)), int32(len(msg)))
}

// drop counts a sample that gets no record.
func drop(why format.Dropped) {
	xadd64(file.u64(format.HeaderDropped+8*uintptr(why)), 1)
}
