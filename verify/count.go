package verify

import (
	"fmt"
	"strings"

	"github.com/filip-go/filip/profile"
)

// count compares numbers only, by type, where records have no addresses. The runtime knows a
// type by less of its name than we do, a slice by that of its elements, and a map as one of
// its own; so all of ours that have a name in common are compared with it together. There can be no
// more births than allocations, and no more deaths than frees.
func (c *comparison) count() {
	type sums struct{ births, deaths uint64 }
	ours := make(map[string]*sums)
	names := make([]string, len(c.types))
	for i, t := range c.types {
		names[i] = runtimeName(t.Name)
	}
	for i := range c.p.Records {
		r := &c.p.Records[i]
		s := ours[names[r.Site]]
		if s == nil {
			s = new(sums)
			ours[names[r.Site]] = s
		}
		s.births++
		if known(r) {
			s.deaths++
		}
	}
	for i := range c.p.Records {
		r := &c.p.Records[i]
		name := names[r.Site]
		at, ok := c.named[name]
		if !ok || name == "" {
			c.result.Unchecked++ // a channel, or a defined slice, map or channel type
			continue
		}
		t, u, s := c.types[r.Site], c.unseen[at], ours[name]
		// Of a type with too many, those that are too many are counted as disagreeing.
		const excess = "%d of the type, for the runtime %d"
		born := s.births <= u.allocations
		if !born {
			c.disagree(NoAllocation, r, fmt.Sprintf("births: "+excess, s.births, u.allocations))
			s.births--
		} else {
			both(&c.result.Births, &t.Births, true)
		}
		if known(r) {
			died := s.deaths <= u.frees
			if !died {
				c.disagree(NotFreed, r, fmt.Sprintf("deaths: "+excess, s.deaths, u.frees))
				s.deaths--
			}
			both(&c.result.Deaths, &t.Deaths, died)
		}
	}
	c.result.Matched = uint64(len(c.p.Records)) - c.result.Classes[NoAllocation]
	for _, u := range c.unseen {
		u.Objects = u.allocations
		if s := ours[u.Name]; s != nil {
			u.Objects -= min(u.Objects, s.births)
		}
	}
}

// known reports whether a record's death is one that the runtime tells by the same type. A tiny object
// dies with its block.
func known(r *profile.Record) bool { return r.Dead && r.Bytes >= tinyBlock }

// runtimeName is how the runtime names what is allocated for a value of one of our types:
// package names without the rest of their paths, the elements of slices.
func runtimeName(name string) string {
	switch {
	case strings.HasPrefix(name, "[]"):
		name = name[2:]
	case strings.HasPrefix(name, "map["):
		return "maps.Map"
	case strings.HasPrefix(name, "chan "):
		return "" // a type of its own only if the elements have pointers
	}
	var b strings.Builder
	start := 0 // of an identifier with its path
	for i := 0; i <= len(name); i++ {
		if i < len(name) && !strings.ContainsRune("[]*(){},; ", rune(name[i])) {
			continue
		}
		word := name[start:i]
		b.WriteString(word[strings.LastIndexByte(word, '/')+1:])
		if i < len(name) {
			b.WriteByte(name[i])
		}
		start = i + 1
	}
	switch s := b.String(); s {
	case "byte":
		return "uint8"
	case "any":
		return "interface {}"
	default:
		return s
	}
}
