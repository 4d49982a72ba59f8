package report

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
)

// A column is a figure of each cycle.
type column struct {
	title string
	width int
	text  func(c *lifetime.Cycle) string // "" not known
}

// columns are the figures of a cycle behind its number. As many of the first are shown as
// fit; 80 columns have room for all up to ASSIST.
var columns = []column{
	{"", 1, func(c *lifetime.Cycle) string {
		if c.Forced {
			return "F"
		}
		return " "
	}},
	{"START", 8, func(c *lifetime.Cycle) string { return seconds(c.Start) }},
	{"MARK", 6, func(c *lifetime.Cycle) string {
		ns, ok := c.MarkTime()
		return when(ok, nanos(ns))
	}},
	{"PAUSE", 6, func(c *lifetime.Cycle) string { return when(c.Pause > 0, nanos(c.Pause)) }},
	{"BEFORE", 6, func(c *lifetime.Cycle) string { return heapSize(c.HeapStart) }},
	{"AFTER", 6, func(c *lifetime.Cycle) string { return heapSize(c.HeapEnd) }},
	{"LIVE", 6, func(c *lifetime.Cycle) string { return heapSize(c.Marked) }},
	{"BYTES", 6, func(c *lifetime.Cycle) string { return when(c.Noted, size(float64(c.Allocated.Bytes))) }},
	{"OBJECTS", 7, func(c *lifetime.Cycle) string { return when(c.Noted, count(float64(c.Allocated.Objects))) }},
	{"BACKGR", 6, func(c *lifetime.Cycle) string { return when(c.HasCPU, nanos(c.CPU.Background)) }},
	{"ASSIST", 6, func(c *lifetime.Cycle) string { return when(c.HasCPU, nanos(c.CPU.Assist)) }},
	{"IDLE", 6, func(c *lifetime.Cycle) string { return when(c.HasCPU, nanos(c.CPU.Idle)) }},
	{"GOAL", 6, func(c *lifetime.Cycle) string {
		goal, ok := c.HeapGoal()
		return when(ok, size(float64(goal)))
	}},
	{"CENSUS", 6, func(c *lifetime.Cycle) string { return when(c.HasCensus(), nanos(c.CensusTime)) }},
	{"RECORDS", 7, func(c *lifetime.Cycle) string { return when(c.HasCensus(), count(float64(c.CensusRecords))) }},
	{"DEATHS", 6, func(c *lifetime.Cycle) string { return when(c.HasCensus(), count(float64(c.CensusDeaths))) }},
}

// cyclesLegend ends the table of cycles.
const cyclesLegend = "F: forced. START is in seconds. BEFORE and AFTER: the heap at the start and the end of the " +
	"mark, LIVE: what it found live. BYTES and OBJECTS are allocated since the start of the program. BACKGR and " +
	"ASSIST are CPU time of the cycle."

// writeCycles writes the last cycles, the newest at the end.
func writeCycles(b *bytes.Buffer, p *profile.Profile, opts Options) {
	cycles := lifetime.Cycles(p)
	if len(cycles) == 0 {
		writeParagraph(b, "No GC cycle was noted: none has ended, or the program was not profiled by a census.", opts.Width)
		return
	}
	left := len(cycles) - opts.top(len(cycles))
	numbers := max(len("CYCLE"), len(strconv.FormatUint(uint64(cycles[len(cycles)-1].Number), 10)))
	shown, width := 0, numbers
	for shown < len(columns) && width+1+columns[shown].width <= opts.Width {
		width += 1 + columns[shown].width
		shown++
	}
	title := fmt.Sprintf("%*s", numbers, "CYCLE")
	for _, col := range columns[:shown] {
		title += fmt.Sprintf(" %*s", col.width, col.title)
	}
	writeLine(b, title)
	for i := range cycles[left:] {
		c := &cycles[left+i]
		line := fmt.Sprintf("%*d", numbers, c.Number)
		for _, col := range columns[:shown] {
			text := col.text(c)
			if text == "" {
				text = "-"
			}
			line += fmt.Sprintf(" %*s", col.width, text)
		}
		writeLine(b, line)
	}
	if left > 0 {
		writeLine(b, "and "+plural(int64(left), "cycle")+" before these (-top 0 shows all)")
	}
	b.WriteByte('\n')
	legend := cyclesLegend
	if shown < len(columns) {
		legend += " A wider window shows more, -json all."
	}
	writeParagraph(b, legend, opts.Width)
}

// when is text where it is known.
func when(known bool, text string) string {
	if !known {
		return ""
	}
	return text
}

func heapSize(bytes uint64) string { return when(bytes > 0, size(float64(bytes))) }

// seconds is a time in seconds in at most 8 characters, to the ms in the first hours of a run; 0 is
// not known.
func seconds(ns int64) string {
	switch s := float64(ns) / 1e9; {
	case ns == 0:
		return ""
	case s < 9999.9995:
		return strconv.FormatFloat(s, 'f', 3, 64)
	case s < 999999.95:
		return strconv.FormatFloat(s, 'f', 1, 64)
	}
	return duration(float64(ns))
}
