package report

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Newest returns the name of the *.filip file in dir that was changed last; of several, the
// last by name.
func Newest(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var newest string
	var changed time.Time
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".filip" {
			continue
		}
		name := filepath.Join(dir, e.Name())
		info, err := os.Stat(name)
		if os.IsNotExist(err) {
			continue // gone since the directory was read
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeType == 0 && !info.ModTime().Before(changed) {
			newest, changed = name, info.ModTime()
		}
	}
	if newest == "" {
		if dir == "." {
			dir = "the current directory"
		}
		return "", fmt.Errorf("no profile (*.filip) in %s: run a program built with filip-inst and FILIP_RATE set, or name a file", dir)
	}
	return newest, nil
}
