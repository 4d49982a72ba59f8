package lifetime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
)

// By is what sites are grouped by.
type By string

// The groupings.
const (
	BySite     By = "site"     // each site by itself
	ByType     By = "type"     // sites that allocate the same type
	ByFunction By = "function" // sites in the same function of the same package
	ByPackage  By = "package"  // sites in the same package
	ByKind     By = "kind"     // sites of the same kind of allocation
	ByStack    By = "stack"    // births at a site with the same stack
)

var allBy = []By{BySite, ByType, ByFunction, ByPackage, ByKind, ByStack}

// ParseBy returns the grouping of the given name.
func ParseBy(s string) (By, error) {
	if slices.Contains(allBy, By(s)) {
		return By(s), nil
	}
	return "", fmt.Errorf("cannot group by %q: choose one of %s", s, join(allBy))
}

func join(names []By) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// A Group is the sum over some sites. Site holds what they have in common; fields in which
// they differ are zero, its Bytes -1.
type Group struct {
	Site  format.Site
	Stack uint32 // ByStack: index in Profile.Stacks; 0: the births without a stack, of all sites
	Sum
	sites int
}

// key is what the sites of one group share.
func (by By) key(s *format.Site, index int) any {
	switch by {
	case ByType:
		return s.Type
	case ByFunction:
		return [2]string{s.Package, s.Function}
	case ByPackage:
		return s.Package
	case ByKind:
		return s.Kind
	}
	return index
}

// group puts the sites whose sums are not empty together by their keys, in order of their
// first site.
func group(sites []format.Site, sums []Sum, by By) []Group {
	index := make(map[any]int)
	var groups []Group
	for i := range sites {
		if sums[i].Samples == 0 {
			continue
		}
		key := by.key(&sites[i], i)
		j, ok := index[key]
		if !ok {
			j = len(groups)
			index[key] = j
			groups = append(groups, Group{Site: sites[i]})
		}
		g := &groups[j]
		g.sites++
		g.merge(sums[i])
		g.Site = common(g.Site, sites[i])
	}
	return groups
}

// Sites is the number of sites in the group that have records.
func (g *Group) Sites() int { return g.sites }

// common is what two sites have in common. A line means nothing in another file, nor a
// column in another line.
func common(a, b format.Site) format.Site {
	c := format.Site{
		File:     same(a.File, b.File),
		Function: same(a.Function, b.Function),
		Package:  same(a.Package, b.Package),
		Kind:     same(a.Kind, b.Kind),
		Type:     same(a.Type, b.Type),
		Bytes:    -1,
	}
	if a.Bytes == b.Bytes {
		c.Bytes = a.Bytes
	}
	if a.File == b.File {
		c.Line = same(a.Line, b.Line)
	}
	if c.Line != 0 {
		c.Column = same(a.Column, b.Column)
	}
	if a.Package != b.Package {
		c.Function = "" // main.main of two programs are two functions
	}
	return c
}

func same[T comparable](a, b T) T {
	if a == b {
		return a
	}
	var zero T
	return zero
}

// groupStacks puts together the births at each site that have the same stack, in order of the
// first record, for the sites whose sums are not empty. Those without a stack are one group,
// the last.
func groupStacks(p *profile.Profile, sums []Sum, duration int64) []Group {
	type key struct{ site, stack uint32 }
	index := make(map[key]int)
	var groups []Group
	for i := range p.Records {
		r := &p.Records[i]
		if sums[r.Site].Samples == 0 {
			continue
		}
		k := key{r.Site, r.Stack}
		j, ok := index[k]
		if !ok {
			j = len(groups)
			index[k] = j
			groups = append(groups, Group{Site: p.Sites[r.Site], Stack: r.Stack, sites: 1})
		}
		groups[j].add(r, duration)
	}
	var rest Group
	kept := groups[:0]
	for _, g := range groups {
		switch {
		case g.Stack != 0:
			kept = append(kept, g)
		case rest.sites == 0:
			rest = g
		default:
			rest.sites++
			rest.merge(g.Sum)
			rest.Site = common(rest.Site, g.Site)
		}
	}
	if rest.sites > 0 {
		kept = append(kept, rest)
	}
	return kept
}
