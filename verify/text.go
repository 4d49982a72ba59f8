package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
)

// width is that of the text, in columns. Only names are longer.
const width = 80

// WriteText writes the result. all: also the types that agree, and what has no record.
func (r *Result) WriteText(w io.Writer, all bool) error {
	var b bytes.Buffer
	for _, l := range r.summary() {
		item(&b, l[0], l[1])
	}
	b.WriteByte('\n')
	if r.Disagreements() == 0 {
		b.WriteString("Disagreements: none\n")
	} else {
		r.disagreements(&b)
	}
	if all {
		r.agreements(&b)
		r.unseen(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// item writes a heading and a text, wrapped beside it.
func item(b *bytes.Buffer, heading, text string) {
	const indent = 12
	line := fmt.Sprintf("%-*s", indent, heading)
	start := true
	for _, word := range strings.Fields(text) {
		if !start && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(line + "\n")
			line, start = strings.Repeat(" ", indent), true
		}
		if !start {
			line += " "
		}
		line += word
		start = false
	}
	b.WriteString(line + "\n")
}

func (r *Result) summary() [][2]string {
	p := r.Profile
	how := "compared object by object"
	if !r.Objects {
		how = "compared by numbers only: its records have no addresses"
	}
	lines := [][2]string{
		{"Program", fmt.Sprintf("%s (%s, %s/%s)", strings.Join(command(p), " "), p.GoVersion, p.OS, p.Arch)},
		{"Run", fmt.Sprintf("%.3f s, %s GC cycles", float64(p.Duration())/1e9, number(r.Cycles))},
		{"Observer", observer(p) + ", " + how},
		{"Runtime", fmt.Sprintf("%s allocations, %s frees", number(r.Allocations), number(r.Frees))},
		{"Coverage", r.coverage()},
		{"Births", agreement(r.Births)},
		{"Deaths", agreement(r.Deaths)},
	}
	if r.Objects {
		lines = append(lines, [2]string{"Survivors", agreement(r.Survivors)})
	}
	if r.CycleTimes.Of > 0 {
		lines = append(lines, [2]string{"GC cycles", agreement(r.CycleTimes)})
	}
	if r.Unchecked > 0 {
		lines = append(lines, [2]string{"Unchecked", number(r.Unchecked) + " records that the trace tells nothing about"})
	}
	if lost := lost(p); lost > 0 {
		lines = append(lines, [2]string{"Lost", number(lost) + " births without a record, see filip-inst report"})
	}
	if p.Level > 0 {
		lines = append(lines, [2]string{"Thinned", fmt.Sprintf("records stand for %.0f objects each: FILIP_MAX was reached", p.EffectiveRate())})
	}
	return lines
}

// lost is the number of objects that a record was meant for.
func lost(p *profile.Profile) uint64 {
	n := uint64(p.Lost)
	for _, why := range []format.Dropped{format.DroppedContended, format.DroppedFull, format.DroppedTables, format.DroppedCleanup} {
		n += p.Dropped[why]
	}
	return n
}

func command(p *profile.Profile) []string {
	if len(p.Args) > 1 {
		return append([]string{p.Program}, p.Args[1:]...)
	}
	return []string{p.Program}
}

func observer(p *profile.Profile) string {
	if objects(p) {
		return "census"
	}
	return "cleanup"
}

// coverage is the share of the allocations that have a record, without FiLiP's own.
func (r *Result) coverage() string {
	objects, bytes := r.Allocations-r.OwnObjects, r.AllocatedBytes-r.OwnBytes
	s := fmt.Sprintf("%s of the objects (%s of %s)", percent(r.Matched, objects), number(r.Matched), number(objects))
	if r.Objects {
		s += fmt.Sprintf(", %s of the bytes (%s of %s)", percent(r.MatchedBytes, bytes), number(r.MatchedBytes), number(bytes))
	}
	return s
}

func agreement(a Agreement) string {
	if a.Of == 0 {
		return "none"
	}
	return fmt.Sprintf("%s of %s agree", number(a.Agree), number(a.Of))
}

func percent(n, of uint64) string {
	if of == 0 {
		return "0%"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}

// number is n with commas.
func number(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func (r *Result) disagreements(b *bytes.Buffer) {
	fmt.Fprintf(b, "Disagreements: %s\n\n%12s  %-24s  TYPE, FIRST EXAMPLE\n", number(r.Disagreements()), "RECORDS", "WHAT")
	for _, t := range r.Types {
		for class, n := range t.Classes {
			if n == 0 {
				continue
			}
			x := t.First[class]
			fmt.Fprintf(b, "%12s  %-24s  %s\n", number(n), Class(class), t.Name)
			fmt.Fprintf(b, "%14s%#x, born at %d ns, %s\n%14s%s\n", "", x.Addr, x.Birth, x.Site, "", x.What)
		}
	}
	if n := r.Classes[WrongTime]; n > 0 {
		fmt.Fprintf(b, "%12s  %-24s\n%14s%s\n", number(n), WrongTime, "", r.FirstCycle)
	}
}

func (r *Result) agreements(b *bytes.Buffer) {
	fmt.Fprintf(b, "\nAgreeing, by type:\n\n%11s %11s %11s  TYPE\n", "BIRTHS", "DEATHS", "SURVIVORS")
	for _, t := range r.Types {
		fmt.Fprintf(b, "%11s %11s %11s  %s\n", number(t.Births.Agree), number(t.Deaths.Agree), number(t.Survivors.Agree), t.Name)
	}
}

func (r *Result) unseen(b *bytes.Buffer) {
	if len(r.Unseen) == 0 {
		return
	}
	fmt.Fprintf(b, "\nAllocated without a record, by the runtime's type (of arrays, that of the elements):\n\n%11s %15s  TYPE\n", "OBJECTS", "BYTES")
	for _, u := range r.Unseen {
		fmt.Fprintf(b, "%11s %15s  %s\n", number(u.Objects), number(u.Bytes), u.name())
	}
}

func (u *Unseen) name() string {
	if u.Name == "" {
		return "(no type: text, channels, the runtime's own)"
	}
	return u.Name
}

// WriteJSON writes the result as one object.
func (r *Result) WriteJSON(w io.Writer) error {
	type class struct {
		What    string   `json:"what"`
		Records uint64   `json:"records"`
		First   *Example `json:"first"`
	}
	type typ struct {
		Name          string    `json:"type"`
		Births        Agreement `json:"births"`
		Deaths        Agreement `json:"deaths"`
		Survivors     Agreement `json:"survivors"`
		Disagreements []class   `json:"disagreements"`
	}
	p := r.Profile
	out := struct {
		Program        string    `json:"program"`
		Args           []string  `json:"args"`
		GoVersion      string    `json:"go_version"`
		RunNs          int64     `json:"run_ns"`
		Observer       string    `json:"observer"`
		ByObject       bool      `json:"by_object"`
		Allocations    uint64    `json:"allocations"`
		AllocatedBytes uint64    `json:"allocated_bytes"`
		OwnObjects     uint64    `json:"own_objects"`
		OwnBytes       uint64    `json:"own_bytes"`
		Frees          uint64    `json:"frees"`
		Matched        uint64    `json:"matched"`
		MatchedBytes   uint64    `json:"matched_bytes"`
		Births         Agreement `json:"births"`
		Deaths         Agreement `json:"deaths"`
		Survivors      Agreement `json:"survivors"`
		Cycles         uint64    `json:"cycles"`
		CycleTimes     Agreement `json:"cycle_times"`
		Unchecked      uint64    `json:"unchecked"`
		Disagreements  uint64    `json:"disagreements"`
		FirstCycle     string    `json:"first_cycle,omitempty"`
		Types          []typ     `json:"types"`
		Unseen         []*Unseen `json:"unseen"`
	}{
		p.Program, p.Args, p.GoVersion, p.Duration(), observer(p), r.Objects,
		r.Allocations, r.AllocatedBytes, r.OwnObjects, r.OwnBytes, r.Frees, r.Matched, r.MatchedBytes,
		r.Births, r.Deaths, r.Survivors, r.Cycles, r.CycleTimes, r.Unchecked, r.Disagreements(), r.FirstCycle,
		[]typ{}, r.Unseen,
	}
	for _, t := range r.Types {
		j := typ{t.Name, t.Births, t.Deaths, t.Survivors, []class{}}
		for i, n := range t.Classes {
			if n > 0 {
				j.Disagreements = append(j.Disagreements, class{Class(i).String(), n, t.First[i]})
			}
		}
		out.Types = append(out.Types, j)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(out)
}
