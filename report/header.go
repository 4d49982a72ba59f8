package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
)

// An item is a line of the header, or more where its text is long.
type item struct{ name, text string }

// header is what a text report says about the run as a whole.
func header(p *profile.Profile, s *lifetime.Summary, opts Options) []item {
	items := []item{
		{"Program", program(p)},
		{"Run", run(p, s)},
	}
	if p.GCPeriod > 0 {
		items = append(items, item{"Warning", forced(p)})
	}
	items = append(items,
		item{"Sampling", sampling(p, s)},
		item{"Observer", observer(p)},
		item{"Coverage", coverage(p, s)},
		item{"Lifetime", overall(s)},
	)
	if opts.Focus != nil {
		items = append(items, item{"Focus", focus(s, opts)})
	}
	if text := losses(p); text != "" {
		items = append(items, item{"Lost", text})
	}
	if text := stacks(p, opts); text != "" {
		items = append(items, item{"Stacks", text})
	}
	if s.Total.Shared > 0 {
		items = append(items, item{"Tiny", count(s.Total.Shared) + " objects share a block of 16 bytes with others: they count as alive until the last of the block is dead"})
	}
	for _, note := range p.Notes {
		items = append(items, item{"Note", note})
	}
	return items
}

func program(p *profile.Profile) string {
	text := p.Program
	if text == "" {
		text = "unknown"
	}
	text += fmt.Sprintf(" (pid %d", p.Pid)
	if p.GoVersion != "" {
		text += ", " + p.GoVersion
	}
	if p.OS != "" {
		text += " " + p.OS + "/" + p.Arch
	}
	return text + "), " + p.Name
}

func run(p *profile.Profile, s *lifetime.Summary) string {
	text := duration(float64(s.Duration)) + ", " + plural(int64(s.Cycles), "GC cycle")
	switch p.End {
	case format.EndExit:
		return text + ", ended by return or exit"
	case format.EndPanic:
		return text + ", ended by a panic"
	}
	return text + ", no end noted: still running, or killed"
}

func sampling(p *profile.Profile, s *lifetime.Summary) string {
	text := "1 in " + number(p.Rate)
	if p.Level > 0 {
		text += ", thinned to 1 in " + number(p.EffectiveRate())
	}
	return fmt.Sprintf("%s (%s), %s for %s objects, %s", text, p.Design,
		plural(int64(s.Total.Samples), "sample"), count(s.Total.Objects), size(s.Total.Bytes))
}

// observer says how deaths were noticed, and of a census up to when.
func observer(p *profile.Profile) string {
	switch p.Observer {
	case format.ObserverCensus:
		text := "census: an object dies at the end of the mark that finds it dead"
		if n := len(p.Cycles); n > 0 && p.Cycles[n-1].Number > p.Census {
			text += fmt.Sprintf("; deaths are complete up to cycle %d of %d", p.Census, p.Cycles[n-1].Number)
		}
		return text
	case format.ObserverCleanup:
		return "cleanup: an object dies when the runtime tells so, after the mark"
	}
	return p.Observer.String()
}

// number is the N of a rate, in full: it was chosen, not estimated.
func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func coverage(p *profile.Profile, s *lifetime.Summary) string {
	objects, ok := s.Coverage()
	if !ok {
		return "unknown, the profile has no count of heap objects"
	}
	bytes, _ := s.CoverageBytes()
	text := fmt.Sprintf("%s of the program's %s heap objects, %s of its %s",
		percent(objects), count(float64(s.Heap.Objects)), percent(bytes), size(float64(s.Heap.Bytes)))
	switch unseen := unseenKinds(p); {
	case unseen != "":
		text += "; not seen: " + unseen + "; package runtime and what it is built on"
	case p.Packages != "":
		text += "; FILIP_PACKAGES was " + p.Packages
	case p.Kinds != nil && p.EffectiveRate() == 1 && (objects < 1 || bytes < 1): // else a sample may miss few large objects
		text += "; the rest: package runtime and what it is built on"
	}
	return text
}

// unseenKinds are the kinds of allocation that the program was built not to see.
func unseenKinds(p *profile.Profile) string {
	if p.Kinds == nil {
		return ""
	}
	var unseen []string
	for kind := format.Kind(1); kind < format.NumKinds; kind++ {
		if !slices.Contains(p.Kinds, kind.String()) {
			unseen = append(unseen, kind.String())
		}
	}
	return strings.Join(unseen, ", ")
}

func overall(s *lifetime.Summary) string {
	mean, ok := s.Total.MeanLifetime()
	if !ok {
		return "unknown, no sampled object has one"
	}
	text := "mean " + duration(mean)
	if share, ok := s.Total.RelativeLifetime(s.Duration); ok {
		text += ", " + percent(share) + " of the run"
	}
	return fmt.Sprintf("%s; %s objects survive, %s", text,
		count(s.Total.Survivors), percent(s.Total.Survivors/s.Total.Objects))
}

// focus says how much of all is in the groups.
func focus(s *lifetime.Summary, opts Options) string {
	var objects, bytes float64
	for i := range s.Groups {
		objects += s.Groups[i].Objects
		bytes += s.Groups[i].Bytes
	}
	return fmt.Sprintf("%s, with %s of the bytes and %s of the objects", opts.Focus,
		share(bytes, s.Total.Bytes), share(objects, s.Total.Objects))
}

// losses lists the samples that are missing from the figures; "" if none are. Those that
// were on no heap or were given up by thinning are not missing.
func losses(p *profile.Profile) string {
	var n uint64
	var why []string
	for i, count := range p.Dropped {
		switch reason := format.Dropped(i); reason {
		case format.DroppedNotHeap, format.DroppedZeroSize, format.DroppedThinned:
		default:
			if count > 0 {
				n += count
				why = append(why, fmt.Sprintf("%s %d", reason, count))
			}
		}
	}
	if p.Lost > 0 {
		n += uint64(p.Lost)
		why = append(why, fmt.Sprintf("unfinished %d", p.Lost))
	}
	var text string
	if n > 0 {
		text = fmt.Sprintf("%s (%s)", plural(int64(n), "sample"), strings.Join(why, ", "))
	}
	if p.MissingBlocks > 0 {
		if text != "" {
			text += "; "
		}
		text += "the file ends " + plural(int64(min(p.MissingBlocks, 1<<62)), "block") + " early"
	}
	return text
}

// stacks says what is not in the stacks; "" if nothing is missing or none are shown.
func stacks(p *profile.Profile, opts Options) string {
	var text []string
	if opts.By == lifetime.ByStack {
		text = append(text, plural(int64(p.Stack), "frame")+" at most")
	}
	if p.StacksLost > 0 {
		text = append(text, plural(int64(min(p.StacksLost, 1<<62)), "sample")+" noted without: no room for more")
	}
	return strings.Join(text, "; ")
}

// writeItems writes names and, beside them, texts wrapped to the width.
func writeItems(b *bytes.Buffer, items []item, width int) {
	const indent = 10
	for _, it := range items {
		name := it.name
		for _, line := range wrap(it.text, width-indent) {
			fmt.Fprintf(b, "%-*s%s\n", indent, name, line)
			name = ""
		}
	}
}

// wrap breaks text into lines of at most width runes, at spaces where there are any.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	length := 0
	for _, word := range strings.Fields(text) {
		word = fit(word, width)
		n := len([]rune(word))
		switch {
		case line == "":
			line, length = word, n
		case length+1+n <= width:
			line += " " + word
			length += 1 + n
		default:
			lines = append(lines, line)
			line, length = word, n
		}
	}
	return append(lines, line)
}
