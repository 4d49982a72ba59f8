// Goldmark renders a generated Markdown document of a few megabytes with
// github.com/yuin/goldmark.
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/filip-go/filip/bench/stats"
)

func main() {
	var doc bytes.Buffer
	for i := range 12000 {
		fmt.Fprintf(&doc, "## Section %d\n\nSome *emphasis*, **strong** text, `code %d` and a [link](https://example.com/%d \"title\").\n\n", i, i, i)
		fmt.Fprintf(&doc, "- item one\n- item two\n  - nested %d\n\n| a | b |\n|---|---|\n| %d | x |\n\n> quoted ~~text~~\n\n", i, i)
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	var out bytes.Buffer
	for range 4 {
		out.Reset()
		if err := md.Convert(doc.Bytes(), &out); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fmt.Println(out.Len())
	stats.Report()
}
