// Tengo runs a script that works on maps, arrays, strings and closures in the interpreter
// github.com/d5/tengo.
package main

import (
	"fmt"
	"os"

	"github.com/d5/tengo/v2"

	"github.com/filip-go/filip/bench/stats"
)

const script = `
each := func(a, f) { for v in a { f(v) } }
mapped := func(a, f) { out := []; each(a, func(v) { out = append(out, f(v)) }); return out }
compose := func(f, g) { return func(x) { return g(f(x)) } }

sorted := func(a, less) {
	if len(a) < 2 { return a }
	merge := func(l, r) {
		out := []
		i := 0
		j := 0
		for i < len(l) && j < len(r) {
			if less(r[j], l[i]) { out = append(out, r[j]); j++ } else { out = append(out, l[i]); i++ }
		}
		return out + l[i:] + r[j:]
	}
	m := len(a) / 2
	return merge(sorted(a[:m], less), sorted(a[m:], less))
}

words := {}
for i := 0; i < 200000; i++ {
	w := "w" + string(i * 7919 % 20011)
	words[w] = (words[w] || 0) + 1
}
list := []
for k, n in words { list = append(list, {word: k, count: n, size: len(k)}) }
list = sorted(list, func(a, b) { return a.count > b.count || (a.count == b.count && a.word < b.word) })

scale := compose(func(x) { return x * 3 }, func(x) { return float(x) / 2.0 })
total := 0.0
for round := 0; round < 16; round++ {
	each(mapped(list, func(e) { return e.count + e.size + round }), func(n) { total += scale(n) })
}
text := ""
for e in list[:200] { text += e.word + "," }
result := format("%d %.1f %s %d", len(list), total, list[0].word, len(text))
`

func main() {
	c, err := tengo.NewScript([]byte(script)).Run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(c.Get("result"))
	stats.Report()
}
