package rewrite

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestBuffer(t *testing.T) {
	none := func(int) string { return "" }
	for _, test := range []struct {
		name string
		edit func(b *buffer)
		want string
	}{
		{"nothing", func(b *buffer) {}, "abcdef"},
		{"insert", func(b *buffer) { b.Insert(6, "3"); b.Insert(0, "1"); b.Insert(2, "2") }, "1ab2cdef3"},
		{"wrap", func(b *buffer) { b.Wrap(1, 3, "(", ")") }, "a(bc)def"},
		{"same start", func(b *buffer) { b.Wrap(1, 5, "(", ")"); b.Wrap(1, 3, "[", "]") }, "a([bc]de)f"},
		{"same end", func(b *buffer) { b.Wrap(1, 5, "(", ")"); b.Wrap(3, 5, "[", "]") }, "a(bc[de])f"},
		{"same bounds", func(b *buffer) { b.Wrap(1, 5, "(", ")"); b.Wrap(1, 5, "[", "]") }, "a([bcde])f"},
		{"adjacent", func(b *buffer) { b.Wrap(1, 3, "(", ")"); b.Wrap(3, 5, "[", "]") }, "a(bc)[de]f"},
		{"after a closing", func(b *buffer) { b.Insert(3, "|"); b.Wrap(1, 3, "(", ")"); b.Wrap(3, 5, "[", "]") }, "a(bc)|[de]f"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &buffer{old: []byte("abcdef")}
			test.edit(b)
			if got := string(b.Bytes(none)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	b := &buffer{old: []byte("abc")}
	b.Wrap(0, 3, "(", ")")
	b.Wrap(0, 2, "[", "]")
	if got, want := string(b.Bytes(func(off int) string { return fmt.Sprint("<", off, ">") })), "([<0>ab]<2>c)<3>"; got != want {
		t.Errorf("mended: got %q, want %q", got, want)
	}
}

// FuzzBuffer nests wraps at random: the result without the insertions must be the text, and
// the brackets must match.
func FuzzBuffer(f *testing.F) {
	f.Add("hello", []byte{0, 5, 1, 3, 1, 2, 3, 5})
	f.Add("x", []byte{0, 1, 0, 1, 0, 1})
	f.Fuzz(func(t *testing.T, text string, wraps []byte) {
		text = strings.Map(func(r rune) rune {
			if strings.ContainsRune("()<>", r) {
				return -1
			}
			return r
		}, text)
		b := &buffer{old: []byte(text)}
		var outer [][2]int // so far
		for i := 0; i+1 < len(wraps); i += 2 {
			start, end := int(wraps[i]), int(wraps[i+1])
			if start >= end || end > len(text) {
				continue
			}
			nests := true
			for _, o := range outer {
				nests = nests && (o[1] <= start || end <= o[0] || o[0] <= start && end <= o[1])
			}
			if nests {
				b.Wrap(start, end, fmt.Sprintf("(<%d>", len(outer)), fmt.Sprintf("<%d>)", len(outer)))
				outer = append(outer, [2]int{start, end})
			}
		}
		got := b.Bytes(func(int) string { return "" })
		var open []string
		var plain []byte
		for rest := got; len(rest) > 0; {
			switch id, after, _ := bytes.Cut(rest, []byte(">")); {
			case rest[0] == '(':
				open = append(open, string(id[1:]))
				rest = after
			case rest[0] == '<':
				if len(open) == 0 || open[len(open)-1] != string(id) || after[0] != ')' {
					t.Fatalf("unbalanced: %q", got)
				}
				open, rest = open[:len(open)-1], after[1:]
			default:
				plain, rest = append(plain, rest[0]), rest[1:]
			}
		}
		if string(plain) != text || len(open) > 0 {
			t.Fatalf("%q has become %q", text, got)
		}
	})
}
