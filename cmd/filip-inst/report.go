package main

import (
	"flag"
	"os"

	"github.com/filip-go/filip/profile"
	"github.com/filip-go/filip/report"
)

func prepareReport(fs *flag.FlagSet) func([]string) error {
	var opts report.Options
	opts.Flags(fs)
	return func(files []string) error {
		if len(files) == 0 {
			newest, err := report.Newest(".")
			if err != nil {
				return err
			}
			files = []string{newest}
		}
		return writeReport(files, opts)
	}
}

// writeReport reports on profile files on standard output. It writes nothing unless all of
// them can be read.
func writeReport(files []string, opts report.Options) error {
	profiles := make([]*profile.Profile, len(files))
	for i, name := range files {
		var err error
		if profiles[i], err = profile.Read(name); err != nil {
			return err
		}
	}
	opts.Width = width(os.Stdout)
	return report.Write(os.Stdout, profiles, opts)
}
