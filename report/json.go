package report

import (
	"encoding/json"
	"io"
	"math"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
)

// Schema is the version of the JSON report. It grows when a field changes its meaning or
// goes away, not when one is added.
const Schema = 1

// document is the JSON report of one profile. Counts of objects and bytes are estimates for
// the program, not of samples; times are ns; shares are 0 to 1; null is "not known".
type document struct {
	Schema           int               `json:"schema"`
	File             string            `json:"file"` // the profile
	Program          string            `json:"program"`
	Args             []string          `json:"args"`
	Packages         string            `json:"packages"` // FILIP_PACKAGES at build time
	Kinds            []string          `json:"kinds"`    // of allocation that were seen; null: not known
	Pid              int               `json:"pid"`
	GoVersion        string            `json:"go_version"`
	OS               string            `json:"goos"`
	Arch             string            `json:"goarch"`
	Start            string            `json:"start"` // RFC 3339, UTC
	Duration         int64             `json:"duration_ns"`
	End              string            `json:"end"`       // exit, panic; unknown: running, or ended without a word
	Rate             float64           `json:"rate"`      // N of the 1/N asked for
	RateNow          float64           `json:"rate_now"`  // N of the 1/N that is left after thinning
	Design           string            `json:"design"`    // how objects were picked
	Observer         string            `json:"observer"`  // how deaths were noticed
	Samples          int               `json:"samples"`   // records
	Objects          int64             `json:"objects"`   // allocated at instrumented sites
	Bytes            int64             `json:"bytes"`     // allocated at instrumented sites
	Survivors        int64             `json:"survivors"` // objects alive at the end
	Shared           int64             `json:"shared"`    // objects that share a 16-byte block with others
	MeanLifetime     *float64          `json:"mean_lifetime_ns"`
	RelativeLifetime *float64          `json:"relative_lifetime"`
	GCCycles         uint32            `json:"gc_cycles"`
	GCPeriod         int64             `json:"gc_period_ns"` // FILIP_GC; 0: no cycle was forced by it
	Census           *uint32           `json:"census_cycle"` // the last cycle whose deaths are all noted
	Coverage         *float64          `json:"coverage"`
	CoverageBytes    *float64          `json:"coverage_bytes"`
	HeapObjects      uint64            `json:"heap_objects"` // counted by the runtime, FiLiP's own left out
	HeapBytes        uint64            `json:"heap_bytes"`
	OwnObjects       uint64            `json:"own_objects"` // allocated by FiLiP
	OwnBytes         uint64            `json:"own_bytes"`
	Live             uint64            `json:"live_bytes"` // found live by the last mark
	GCCPU            int64             `json:"gc_cpu_ns"`
	Dropped          map[string]uint64 `json:"dropped"` // reason → samples
	Lost             int               `json:"lost"`    // records that were not finished
	MissingBlocks    uint64            `json:"missing_blocks"`
	StackDepth       int               `json:"stack_depth"` // frames noted of a birth's stack at most
	StacksLost       uint64            `json:"stacks_lost"` // samples noted without, for want of room
	Notes            []string          `json:"notes"`
	By               lifetime.By       `json:"by"`
	GroupsTotal      int               `json:"groups_total"` // of which groups holds the first
	Groups           []documentGroup   `json:"groups"`
	Timeline         []documentTick    `json:"timeline"`
	Cycles           []documentCycle   `json:"cycles"`
}

// documentGroup is a group in the JSON report. What differs between its sites is "" or 0.
type documentGroup struct {
	File             string         `json:"file"`
	Line             int            `json:"line"`
	Column           int            `json:"column"`
	Function         string         `json:"function"`
	Package          string         `json:"package"`
	Kind             string         `json:"kind"`
	Type             string         `json:"type"`
	Sites            int            `json:"sites"`
	Samples          int            `json:"samples"`
	Objects          int64          `json:"objects"`
	Bytes            int64          `json:"bytes"`
	Survivors        int64          `json:"survivors"`
	Shared           int64          `json:"shared"`
	MeanLifetime     *float64       `json:"mean_lifetime_ns"`
	RelativeLifetime *float64       `json:"relative_lifetime"`
	Class            lifetime.Class `json:"class"`

	Frames []documentFrame `json:"frames,omitzero"` // only by stack: the innermost first
}

// documentFrame is a frame in the JSON report, with the names in full.
type documentFrame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// documentTick is a timeline entry in the JSON report, with counts as the runtime has them.
type documentTick struct {
	Time       int64  `json:"time_ns"`
	Cause      string `json:"cause"`
	Cycle      uint32 `json:"gc_cycle"`
	Objects    uint64 `json:"objects"`
	Bytes      uint64 `json:"bytes"`
	Live       uint64 `json:"live_bytes"`
	GCCPU      int64  `json:"gc_cpu_ns"`
	OwnObjects uint64 `json:"own_objects"`
	OwnBytes   uint64 `json:"own_bytes"`
}

// writeJSON writes one report as an indented JSON object and a newline.
func writeJSON(w io.Writer, p *profile.Profile, s *lifetime.Summary, opts Options) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	return e.Encode(newDocument(p, s, opts))
}

func newDocument(p *profile.Profile, s *lifetime.Summary, opts Options) *document {
	d := &document{
		Schema: Schema, File: p.Name, Program: p.Program, Args: list(p.Args), Packages: p.Packages, Kinds: p.Kinds, Pid: p.Pid,
		GoVersion: p.GoVersion, OS: p.OS, Arch: p.Arch, Start: p.Start.UTC().Format("2006-01-02T15:04:05.000000000Z"),
		Duration: s.Duration, End: p.End.String(),
		Rate: p.Rate, RateNow: p.EffectiveRate(), Design: p.Design.String(), Observer: p.Observer.String(),
		Samples: s.Total.Samples, Objects: whole(s.Total.Objects), Bytes: whole(s.Total.Bytes),
		Survivors: whole(s.Total.Survivors), Shared: whole(s.Total.Shared),
		MeanLifetime: known(s.Total.MeanLifetime()), RelativeLifetime: known(s.Total.RelativeLifetime(s.Duration)),
		GCCycles: s.Cycles, GCPeriod: p.GCPeriod, Coverage: known(s.Coverage()), CoverageBytes: known(s.CoverageBytes()),
		HeapObjects: s.Heap.Objects, HeapBytes: s.Heap.Bytes, OwnObjects: s.Own.Objects, OwnBytes: s.Own.Bytes,
		Live: s.Live, GCCPU: s.GCCPU,
		Dropped: make(map[string]uint64), Lost: p.Lost, MissingBlocks: p.MissingBlocks,
		StackDepth: p.Stack, StacksLost: p.StacksLost, Notes: list(p.Notes),
		By: opts.By, GroupsTotal: len(s.Groups),
		Groups: []documentGroup{}, Timeline: []documentTick{}, Cycles: documentCycles(p),
	}
	if p.Observer == format.ObserverCensus {
		d.Census = &p.Census
	}
	for why, n := range p.Dropped {
		d.Dropped[format.Dropped(why).String()] = n
	}
	for i := range s.Groups[:opts.top(len(s.Groups))] {
		g := &s.Groups[i]
		d.Groups = append(d.Groups, documentGroup{
			File: g.Site.File, Line: g.Site.Line, Column: g.Site.Column, Function: g.Site.Function,
			Package: g.Site.Package, Kind: kind(g.Site.Kind), Type: g.Site.Type,
			Sites: g.Sites(), Samples: g.Samples, Objects: whole(g.Objects), Bytes: whole(g.Bytes),
			Survivors: whole(g.Survivors), Shared: whole(g.Shared),
			MeanLifetime: known(g.MeanLifetime()), RelativeLifetime: known(g.RelativeLifetime(s.Duration)),
			Class: g.Class(s.Duration), Frames: documentFrames(p, g, opts.By),
		})
	}
	for _, t := range p.Timeline {
		d.Timeline = append(d.Timeline, documentTick{
			t.Time, t.Cause.String(), t.Cycle, t.Objects, t.Bytes, t.Live, t.GCCPU, t.OwnObjects, t.OwnBytes,
		})
	}
	return d
}

// documentFrames is nil, and left out, unless groups are those of a stack.
func documentFrames(p *profile.Profile, g *lifetime.Group, by lifetime.By) []documentFrame {
	if by != lifetime.ByStack {
		return nil
	}
	frames := []documentFrame{}
	for _, f := range stack(p, g) {
		frames = append(frames, documentFrame(f))
	}
	return frames
}

// kind is "" where sites differ.
func kind(k format.Kind) string {
	if k == 0 {
		return ""
	}
	return k.String()
}

// known is a pointer to v, or nil, JSON's null, where v is not known.
func known(v float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &v
}

// whole is an estimate as a whole number, which is what readers of counts expect.
func whole(v float64) int64 {
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(v))
}

// list is s, not null where it is empty.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
