package report

import (
	"fmt"

	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
)

// collector is what a text report says about the garbage collector; nothing where the profile
// knows nothing of it.
func collector(p *profile.Profile, s *lifetime.Summary) []item {
	c := lifetime.Collect(p)
	var items []item
	if c.Noted > 0 {
		items = append(items, item{"GC", cycles(c)})
	}
	if c.CPU.Total > 0 {
		items = append(items, item{"GC CPU", gcCPU(c, s.Duration)})
	}
	if c.Live > 0 || c.HasBetween {
		items = append(items, item{"Heap", heap(c)})
	}
	if c.Censuses.N > 0 {
		items = append(items, item{"Census", census(c)})
	}
	if p.Missed > 0 {
		items = append(items, item{"Missed", plural(int64(p.Missed), "cycle") + " had no census: what died in them may count as alive"})
	}
	return items
}

func cycles(c *lifetime.Collection) string {
	text := fmt.Sprintf("%s noted, %d forced", plural(int64(c.Noted), "cycle"), c.Forced)
	if t := c.Pauses; t.N > 0 {
		text += fmt.Sprintf("; pauses %s in all, at most %s in a cycle", nanos(t.Total), nanos(t.Longest))
	}
	if t := c.Marks; t.N > 0 {
		text += fmt.Sprintf("; marking %s in all, %s in a cycle (median)", nanos(t.Total), nanos(t.Median))
	}
	return text
}

func gcCPU(c *lifetime.Collection, run int64) string {
	total := float64(c.CPU.Total)
	text := duration(total)
	if run > 0 {
		text += ", " + percent(total/float64(run)) + " of one CPU"
	}
	if c.HasSplit {
		of := func(ns int64) string { return percent(float64(ns) / total) }
		pauses := max(c.CPU.Total-c.CPU.Assist-c.CPU.Background-c.CPU.Idle, 0)
		text += fmt.Sprintf(": background %s, assists %s, idle %s, pauses %s", of(c.CPU.Background), of(c.CPU.Assist), of(c.CPU.Idle), of(pauses))
	}
	return text
}

func heap(c *lifetime.Collection) string {
	text := ""
	if c.Live > 0 {
		text = size(float64(c.Live)) + " live at the last mark"
		if c.HasGoal {
			text += ", goal of the next " + size(float64(c.Goal))
		}
	}
	if c.HasBetween {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%s allocated between two cycles, %s objects (medians)", size(float64(c.Between.Bytes)), count(float64(c.Between.Objects)))
	}
	return text
}

func census(c *lifetime.Collection) string {
	text := fmt.Sprintf("%d took %s", c.Censuses.N, nanos(c.Censuses.Total))
	if c.CensusRecords > 0 {
		text += ", " + duration(float64(c.Censuses.Total)/float64(c.CensusRecords)) + " per record looked up"
	}
	return text + fmt.Sprintf("; the longest %s; the world stopped for %s of it", nanos(c.Censuses.Longest), nanos(c.CensusStopped))
}

// forced warns of a run with FILIP_GC.
func forced(p *profile.Profile) string {
	text := "FILIP_GC forced a collection whenever none had ended for " + nanos(p.GCPeriod)
	if c := lifetime.Collect(p); c.Noted > 0 {
		text += fmt.Sprintf(" (%d of %s forced)", c.Forced, plural(int64(c.Noted), "cycle"))
	}
	return text + ": the program did not run at its own pace; what its GC costs, and its lifetimes in cycles, are not those of an ordinary run"
}

func nanos(ns int64) string { return duration(float64(ns)) }
