// Esbuild bundles and minifies generated JavaScript modules with github.com/evanw/esbuild.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/filip-go/filip/bench/stats"
)

func main() {
	var src strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&src, "export class C%d { #x = %d; get x() { return this.#x ?? `t${%d}` } static async *gen(a, ...rest) { for await (const v of rest) yield {a, v, [a+%d]: v?.y} } }\n", i, i, i, i)
		fmt.Fprintf(&src, "export const f%d = (a, {b, c = %d}) => { let s = 0; for (const k in b) { if (k > c) s += b[k] * %d; else switch (k) { case 1: s--; break; default: s ||= c } } return s };\n", i, i, i)
	}
	result := api.Transform(src.String(), api.TransformOptions{
		MinifySyntax: true, MinifyIdentifiers: true, MinifyWhitespace: true, Target: api.ES2017,
	})
	if len(result.Errors) > 0 {
		fmt.Fprintln(os.Stderr, result.Errors[0].Text)
		os.Exit(1)
	}
	fmt.Println(len(result.Code))
	stats.Report()
}
