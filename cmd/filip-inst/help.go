package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/filip-go/filip/docs"
)

// A topic is a text of the documentation that help prints.
type topic struct{ name, short, text string }

var topics = []topic{
	{"build", "how to build an instrumented program", docs.Build},
	{"env", "every environment variable", docs.Env},
	{"figures", "what every figure of a report means", docs.Figures},
}

// help prints help on a command or a topic, or an overview.
func help(args []string) error {
	switch len(args) {
	case 0:
		overview(os.Stdout)
		return nil
	case 1:
		if c, ok := lookup(args[0]); ok {
			c.help(os.Stdout)
			return nil
		}
		for _, t := range topics {
			if t.name == args[0] {
				_, err := io.WriteString(os.Stdout, t.text)
				return err
			}
		}
		return usageError{fmt.Sprintf("filip-inst help: no topic %q; usage: filip-inst help [%s]", args[0], strings.Join(helpNames(), "|"))}
	}
	return usageError{fmt.Sprintf("filip-inst help: too many arguments; usage: filip-inst help [%s]", strings.Join(helpNames(), "|"))}
}

func helpNames() []string {
	var names []string
	for _, c := range subcommands {
		names = append(names, c.name)
	}
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

func overview(w io.Writer) {
	fmt.Fprint(w, `Filip-inst profiles the lifetimes of a Go program's objects.

	go build -toolexec filip-inst    build an instrumented program
	FILIP_RATE=1/1000 ./program      run it and record one object in 1000
	filip-inst report                see which sites allocate what for how long

The commands:

`)
	for _, c := range subcommands {
		fmt.Fprintf(w, "\t%-10s %s\n", c.name, c.short)
	}
	fmt.Fprintf(w, "\t%-10s %s\n\nThe topics of help:\n\n", "help", "print help on a command or a topic")
	for _, t := range topics {
		fmt.Fprintf(w, "\t%-10s %s\n", t.name, t.short)
	}
}

// help prints the command's usage and flags.
func (c *command) help(w io.Writer) {
	fs, _ := c.flags()
	fmt.Fprintf(w, "usage: %s\n\n%s%s.\n%s\n", c.line(), strings.ToUpper(c.short[:1]), c.short[1:], c.long)
	var flags strings.Builder
	fs.SetOutput(&flags)
	fs.PrintDefaults()
	if flags.Len() > 0 {
		fmt.Fprintf(w, "\n%s", flags.String())
	}
}
