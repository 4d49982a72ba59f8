package main

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/filip-go/filip/format"
)

func prepareVersion(*flag.FlagSet) func([]string) error {
	return func([]string) error {
		version := "(devel)"
		if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
			version = info.Main.Version
		}
		_, err := fmt.Printf("filip-inst version %s %s %s/%s, profile format %d\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, format.Version)
		return err
	}
}
