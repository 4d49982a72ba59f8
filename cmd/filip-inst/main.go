// Filip-inst builds Go programs that profile the lifetimes of their objects, and reports
// what they recorded:
//
//	go build -toolexec filip-inst
//	FILIP_RATE=1/1000 ./program
//	filip-inst report
//
// See the README, or run filip-inst help.
package main

import (
	"os"

	"github.com/filip-go/filip/toolexec"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && toolexec.IsTool(args[0]) {
		os.Exit(toolexec.Run(args))
	}
	os.Exit(run(args, os.Stderr))
}
