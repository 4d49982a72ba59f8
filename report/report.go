// Package report shows profiles to people, as text, and to programs, as JSON.
//
// All figures are those of package lifetime; here they are only chosen, sorted and laid
// out.
package report

import (
	"bytes"
	"fmt"
	"io"

	"github.com/filip-go/filip/lifetime"
	"github.com/filip-go/filip/profile"
)

// Write writes a report of each profile to w: texts with an empty line in between, or JSON
// objects one after the other, as go list -json prints packages. Nothing is written if the
// options are wrong, or wrong for one of the profiles.
func Write(w io.Writer, profiles []*profile.Profile, opts Options) error {
	opts, err := opts.complete()
	if err != nil {
		return err
	}
	for _, p := range profiles {
		if opts.By == lifetime.ByStack && p.Stack == 0 {
			return fmt.Errorf("%s has no stacks: run the program with FILIP_STACK=16", p.Name)
		}
	}
	for i, p := range profiles {
		s := lifetime.Summarize(p, opts.By, opts.keep())
		order(s.Groups, opts.Sort)
		var b bytes.Buffer
		if opts.JSON {
			if err := writeJSON(&b, p, s, opts); err != nil {
				return err
			}
		} else {
			if i > 0 {
				b.WriteByte('\n')
			}
			writeText(&b, p, s, opts)
		}
		if _, err := w.Write(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
