package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// inlinability is what the compiler says of the functions of some packages: for each by
// position and name, the line behind it, "can inline … with cost N" or "cannot inline …".
type inlinability map[string]string

// diagnosis matches a line of the compiler's -m=2 about a function itself.
var diagnosis = regexp.MustCompile(`^(\S+:\d+:\d+): (can inline|cannot inline) (\S+?)(?: with cost (\d+) as:.*|: (.*))$`)

// listInline builds the packages twice, plain and instrumented, has the compiler say what it
// can inline, and writes the functions of which it says different things.
func listInline(w io.Writer, patterns []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	plain, err := diagnose(patterns)
	if err != nil {
		return err
	}
	filip, err := diagnose(patterns, "-toolexec", self)
	if err != nil {
		return err
	}
	differences := compareInline(plain, filip)
	for _, line := range differences {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(os.Stderr, "%s that the compiler diagnoses; %d differ from the plain build\n", plural(len(plain), "function"), len(differences))
	return nil
}

// diagnose builds packages with the compiler's -m=2 and collects what it says. What comes
// from the build cache is said again.
func diagnose(patterns []string, flags ...string) (inlinability, error) {
	out, err := buildSaying("-m=2", patterns, flags...)
	if err != nil {
		return nil, err
	}
	return parseInline(out), nil
}

// buildSaying builds packages with a flag that has the compiler say what it does, and returns
// what it says.
func buildSaying(gcflag string, patterns []string, flags ...string) ([]byte, error) {
	args := append([]string{"build", "-o", os.DevNull, "-gcflags=" + gcflag}, flags...)
	cmd := exec.Command("go", append(args, patterns...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		// Everything is on one stream: show what is not a diagnosis.
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, firstErrors(out))
	}
	return out, nil
}

// firstErrors is the part of a failed build's output that tells why.
func firstErrors(out []byte) string {
	var lines []string
	for line := range bytes.Lines(out) {
		text := strings.TrimRight(string(line), "\n")
		if len(lines) < 10 && !strings.HasPrefix(text, " ") && !strings.Contains(text, "inline") && !strings.Contains(text, "escape") && !strings.Contains(text, "moved to heap") && !strings.Contains(text, "leak") {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

func parseInline(out []byte) inlinability {
	all := make(inlinability)
	for line := range bytes.Lines(out) {
		m := diagnosis.FindSubmatch(bytes.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		verdict := string(m[2])
		if len(m[4]) > 0 {
			verdict += " with cost " + string(m[4])
		} else {
			verdict += ": " + string(m[5])
		}
		all[string(m[1])+": "+string(m[3])] = verdict
	}
	return all
}

// compareInline lists the functions that only one side can inline, or of which only one side
// says anything, and those whose cost differs.
func compareInline(plain, filip inlinability) []string {
	var lines []string
	for fn, was := range plain {
		if is, ok := filip[fn]; !ok {
			lines = append(lines, fmt.Sprintf("%s: %s; instrumented: no word of it", fn, was))
		} else if cmp.Compare(cost(was), cost(is)) != 0 {
			lines = append(lines, fmt.Sprintf("%s: %s; instrumented: %s", fn, was, is))
		}
	}
	slices.Sort(lines)
	return lines
}

// cost is what a function costs the inliner, as a text; the reason why it cannot be inlined
// is no part of it, because it names helpers and their cost.
func cost(verdict string) string {
	if strings.HasPrefix(verdict, "cannot inline") {
		return "cannot inline"
	}
	return verdict
}
