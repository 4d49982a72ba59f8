package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// A command is a subcommand. It writes its results to standard output.
type command struct {
	name  string
	args  string // as in a usage line
	short string // what it does, in a line
	long  string // more about it, in sentences
	// prepare defines the flags and returns what runs the command on the arguments behind
	// them.
	prepare func(*flag.FlagSet) func(args []string) error
}

var subcommands = []command{
	{
		name: "report", args: "[flags] [file ...]", prepare: prepareReport,
		short: "print lifetimes per allocation site",
		long: `The profiles are read from the files, by default from the *.filip file in the working
directory that was changed last. A profile can be read while its program runs.
See filip-inst help figures.`,
	},
	{
		name: "sites", args: "[flags] [packages]", prepare: prepareSites,
		short: "list the allocation sites of packages",
		long: `Each site is a line

	file:line:col: kind type
	file:line:col: kind type: left alone: reason

with the kinds composite (literals), new and make. The packages, by default that in the
working directory, are loaded from source; nothing is built. All sites of the packages are
listed, whatever FILIP_PACKAGES says. A summary goes to standard error.

With -coverage the packages are built, plain, and the compiler's own list of what it
allocates on the heap (go build -gcflags=-m) is compared with what FiLiP sees, by kind. A
line of that list is seen; or left alone, with the reason; or unknown, which is a bug of
ours. What it does not list is not compared: channels, maps as they grow, reflection, the
closures of go and defer statements, and code that the compiler generates.`,
	},
	{
		name: "verify", args: "[flags] [--] program [arguments]", prepare: prepareVerify,
		short: "compare a program's profile with the runtime's own trace of the same run",
		long: `The program, built with -toolexec filip-inst, is run with every object recorded and with the
execution trace on, in which the runtime notes each object that it allocates and frees.
Births, deaths and survivors of the profile are compared with it object by object, and
whatever disagrees is listed by type. Such a run takes several times as long as a plain
one. The exit code is 0 if all agrees and 1 if not.
See filip-inst help figures.`,
	},
	{
		name: "demo", prepare: prepareDemo,
		short: "build and run a program that queries a CSV file, and report on it",
		long: `The program is built in a temporary directory with the csvq module, which is downloaded
at the first time. The profile stays in the working directory. FILIP_RATE sets the
sampling rate, by default 1/1000.`,
	},
	{
		name: "version", prepare: prepareVersion,
		short: "print the version",
		long:  `That of filip-inst, of Go that it was built with, and of the profile file that it reads.`,
	},
}

// A usageError is a wrong command line. Its text names the command.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// run runs the subcommand that args name and returns the exit code: 0; 1 if it failed; 2
// if the command line is wrong. Errors are one sentence on stderr.
func run(args []string, stderr io.Writer) int {
	err := dispatch(args)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, usage)
		return 2
	case errors.Is(err, errReported):
		return 1
	}
	fmt.Fprintf(stderr, "filip-inst: %v\n", err)
	return 1
}

// errReported is returned by a command that has said itself what is wrong.
var errReported = errors.New("already reported")

func dispatch(args []string) error {
	if len(args) == 0 {
		return usageError{"usage: " + usageLine()}
	}
	name, args := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		return help(args)
	}
	c, ok := lookup(name)
	if !ok {
		return usageError{fmt.Sprintf("filip-inst: unknown command %q; usage: %s", name, usageLine())}
	}
	fs, run := c.flags()
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		c.help(os.Stdout)
		return nil
	case err != nil:
		return c.usage(err.Error())
	case c.args == "" && fs.NArg() > 0:
		return c.usage(fmt.Sprintf("unexpected argument %q", fs.Arg(0)))
	}
	return run(fs.Args())
}

func lookup(name string) (*command, bool) {
	for i := range subcommands {
		if subcommands[i].name == name {
			return &subcommands[i], true
		}
	}
	return nil, false
}

// flags returns the command's flags, and what runs it once they are parsed.
func (c *command) flags() (*flag.FlagSet, func(args []string) error) {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs, c.prepare(fs)
}

func (c *command) line() string { return strings.TrimSpace("filip-inst " + c.name + " " + c.args) }

// usage is the error for a wrong command line.
func (c *command) usage(problem string) usageError {
	return usageError{fmt.Sprintf("filip-inst %s: %s; usage: %s (see filip-inst help %[1]s)", c.name, problem, c.line())}
}

// usageLine is the usage of filip-inst as a whole.
func usageLine() string {
	var names []string
	for _, c := range subcommands {
		names = append(names, c.name)
	}
	return "filip-inst " + strings.Join(names, "|") + "|help [arguments], or go build -toolexec filip-inst"
}
