package report

import (
	"bytes"

	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
)

// legend ends every table.
const legend = "LIFE is the mean lifetime; survivors count as dying at the end of the run, as in " +
	"the ISMM'24 paper. CLASS is short up to 5% of the run."

// writeText writes the text report of one profile. No line has more than opts.Width runes.
func writeText(b *bytes.Buffer, p *profile.Profile, s *lifetime.Summary, opts Options) {
	writeItems(b, header(p, s, opts), opts.Width)
	b.WriteByte('\n')
	if items := collector(p, s); len(items) > 0 {
		writeItems(b, items, opts.Width)
		b.WriteByte('\n')
	}
	if opts.GC {
		writeCycles(b, p, opts)
		return
	}
	if len(s.Groups) == 0 {
		if s.Total.Samples > 0 {
			writeLine(b, "No site with samples matches -focus.")
		} else {
			writeLine(b, "No object was sampled.")
		}
		return
	}
	n := opts.top(len(s.Groups))
	writeTable(b, p, s, n, opts)
	if n < len(s.Groups) {
		writeLine(b, more(s.Groups[n:], s.Total, opts))
	}
	b.WriteByte('\n')
	writeParagraph(b, legend, opts.Width)
}

// more says what the groups that are not shown amount to.
func more(groups []lifetime.Group, total lifetime.Sum, opts Options) string {
	var bytes float64
	for i := range groups {
		bytes += groups[i].Bytes
	}
	return "and " + plural(int64(len(groups)), "more "+string(opts.By)) + " with " +
		share(bytes, total.Bytes) + " of the bytes (-top 0 shows all)"
}
