// Package demo holds the sources of the program that filip-inst demo builds: a module of its
// own, so that what it needs is no need of this one.
package demo

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The module's files have a second extension .txt where the go command would take the
// directory for a module: such a directory cannot be embedded.
//
//go:embed src/main.go src/go.mod.txt src/go.sum.txt
var files embed.FS

// Write writes the module to dir, a directory that exists.
func Write(dir string) error {
	entries, err := files.ReadDir("src")
	if err != nil {
		return err
	}
	for _, e := range entries {
		content, err := fs.ReadFile(files, "src/"+e.Name())
		if err != nil {
			return err
		}
		name := filepath.Join(dir, strings.TrimSuffix(e.Name(), ".txt"))
		if err := os.WriteFile(name, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
