// Goja runs a JavaScript program that builds and queries binary trees, strings and maps, in
// the interpreter github.com/dop251/goja.
package main

import (
	"fmt"
	"os"

	"github.com/dop251/goja"

	"github.com/filip-go/filip/bench/stats"
)

const script = `
function tree(d) { return d == 0 ? {left: null, right: null, v: 1} : {left: tree(d-1), right: tree(d-1), v: d}; }
function sum(t) { return t == null ? 0 : t.v + sum(t.left) + sum(t.right); }
var total = 0, keep = [];
for (var i = 0; i < 24; i++) { var t = tree(12); if (i % 6 == 0) keep.push(t); total += sum(t); }
var words = {};
for (var i = 0; i < 120000; i++) { var w = "w" + (i * 7919 % 10007); words[w] = (words[w] || 0) + 1; }
var list = Object.keys(words).map(function(k) { return {k: k, n: words[k]}; });
list.sort(function(a, b) { return b.n - a.n || (a.k < b.k ? -1 : 1); });
total + list.length + list[0].k.length + keep.length
`

func main() {
	v, err := goja.New().RunString(script)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(v)
	stats.Report()
}
