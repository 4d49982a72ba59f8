package toolexec

import (
	"fmt"
	"os"
	"strings"
)

// importcfg is the file that tells compile and link where the archive of each import is.
type importcfg struct {
	text     string
	archives map[string]string // import path → archive
	renamed  map[string]string // import path in the source → import path
}

func readImportcfg(name string) (*importcfg, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c := &importcfg{text: string(data), archives: map[string]string{}, renamed: map[string]string{}}
	if c.text != "" && !strings.HasSuffix(c.text, "\n") {
		c.text += "\n"
	}
	for line := range strings.Lines(c.text) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		before, after, ok := strings.Cut(rest, "=")
		if !ok {
			continue
		}
		switch verb {
		case "packagefile":
			c.archives[before] = after
		case "importmap":
			c.renamed[before] = after
		}
	}
	return c, nil
}

// add adds the archive of a package that is not there yet.
func (c *importcfg) add(path, archive string) {
	if _, ok := c.archives[path]; !ok {
		c.archives[path] = archive
		c.text += fmt.Sprintf("packagefile %s=%s\n", path, archive)
	}
}

func (c *importcfg) write(name string) error { return os.WriteFile(name, []byte(c.text), 0o666) }
