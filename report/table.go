package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
)

// The figures of a group take figuresWidth columns; its name stands behind them where it
// fits there, else on a line of its own below. A site's place is below too, unless placeWidth more
// columns allow for one line per group. (Of the layouts tried on an 80-column terminal, a
// line of names above the figures tore the columns apart, and names cut to what is
// left beside the figures were hard to tell from each other.)
const (
	figuresWidth = 59
	minWidth     = figuresWidth + 10
	placeWidth   = 64
	typeWidth    = 36 // the least of a site's type where its place is on the same line
	indentWidth  = 8
)

// title is the heading of the figures.
var title = figures("BYTES", "%ALL", "OBJECTS", "%ALL", "LIFE", "%RUN", "SURVIVE", "CLASS")

// figures lays out the columns in front of the name, figuresWidth runes in all.
func figures(bytes, ofBytes, objects, ofObjects, life, ofRun, survivors, class string) string {
	return fmt.Sprintf("%6s %5s  %7s %5s  %6s %5s  %7s  %-5s  ", bytes, ofBytes, objects, ofObjects, life, ofRun, survivors, class)
}

// writeTable writes the first n groups.
func writeTable(b *bytes.Buffer, p *profile.Profile, s *lifetime.Summary, n int, opts Options) {
	rest := opts.Width - figuresWidth
	oneLine := opts.By == lifetime.BySite && rest >= typeWidth+placeWidth
	names := 0 // columns of the types where places stand behind them
	if oneLine {
		for i := range s.Groups[:n] {
			names = max(names, min(utf8.RuneCountInString(name(&s.Groups[i].Site, opts.By)), rest-placeWidth))
		}
		names = max(names, len("TYPE"))
	}
	switch heading := strings.ToUpper(string(opts.By)); {
	case oneLine:
		writeLine(b, title+fmt.Sprintf("%-*s  %s", names, "TYPE", "SITE"))
	case opts.By == lifetime.BySite:
		writeLine(b, title+"TYPE, SITE")
	default:
		writeLine(b, title+heading)
	}
	for i := range s.Groups[:n] {
		g := &s.Groups[i]
		line := row(g, s)
		label := name(&g.Site, opts.By)
		if opts.By == lifetime.ByStack && g.Stack == 0 {
			label = "(no stack)"
		}
		indent := strings.Repeat(" ", indentWidth)
		below := opts.Width - indentWidth
		switch {
		case oneLine:
			line += fmt.Sprintf("%-*s  %s", names, fit(label, names), place(&g.Site, rest-names-2))
			writeLine(b, line)
			continue
		case utf8.RuneCountInString(label) <= rest:
			writeLine(b, line+fit(label, rest))
		default:
			writeLine(b, line)
			writeLine(b, indent+fit(label, below))
		}
		if opts.By == lifetime.BySite {
			writeLine(b, indent+place(&g.Site, below))
		}
		for _, f := range stack(p, g) {
			at := format.Site{File: f.File, Line: f.Line, Function: shortType(f.Function)}
			writeLine(b, indent+place(&at, below))
		}
	}
}

// writeParagraph writes text in lines of at most width runes.
func writeParagraph(b *bytes.Buffer, text string, width int) {
	for _, line := range wrap(text, width) {
		writeLine(b, line)
	}
}

func writeLine(b *bytes.Buffer, line string) {
	b.WriteString(strings.TrimRight(line, " "))
	b.WriteByte('\n')
}

// stack is the frames of a group by stack, the innermost first; those of other groups have none.
func stack(p *profile.Profile, g *lifetime.Group) []profile.Frame {
	if g.Stack == 0 {
		return nil
	}
	var frames []profile.Frame
	for _, i := range p.Stacks[g.Stack] {
		frames = append(frames, p.Frames[i])
	}
	return frames
}

// row is the figures of a group. Where nothing is known of lifetimes, as of tiny objects,
// nothing is said of survivors.
func row(g *lifetime.Group, s *lifetime.Summary) string {
	life, ofRun, survivors, class := "-", "-", "-", "-"
	if mean, ok := g.MeanLifetime(); ok {
		life, survivors = duration(mean), count(g.Survivors)
	}
	if relative, ok := g.RelativeLifetime(s.Duration); ok {
		ofRun = percent(relative)
		class = strings.TrimSuffix(string(g.Class(s.Duration)), "-lived")
	}
	return figures(size(g.Bytes), share(g.Bytes, s.Total.Bytes), count(g.Objects), share(g.Objects, s.Total.Objects),
		life, ofRun, survivors, class)
}

// share is part of whole in percent.
func share(part, whole float64) string {
	if !(whole > 0) {
		return "-"
	}
	return percent(part / whole)
}

// name is what a group is called: by its type where it is a site.
func name(s *format.Site, by lifetime.By) string {
	var name string
	switch by {
	case lifetime.ByFunction:
		name = fullFunction(s)
	case lifetime.ByPackage:
		name = s.Package
	case lifetime.ByKind:
		name = s.Kind.String()
	default:
		name = shortType(s.Type)
	}
	if name == "" {
		return "?"
	}
	return clean(name)
}

// place is where a site is, and of what kind if that is known, in at most width columns. A long path
// may take half of them, the function gets the rest.
func place(s *format.Site, width int) string {
	at := fit(where(s), width/2)
	if s.Kind != 0 {
		at += "  " + s.Kind.String()
	}
	return strings.TrimSpace(at + "  " + fit(s.Function, width-utf8.RuneCountInString(at)-2))
}
