package report

import (
	"bytes"
	"testing"

	"github.com/filip-go/filip/format"
	"github.com/filip-go/filip/profile"
	"github.com/filip-go/filip/profile/profiletest"
)

// stacked is a profile of two sites, one reached in several ways, with births that have no
// stack.
func stacked(t *testing.T) *profile.Profile {
	t.Helper()
	const end = 2_000_000_000
	f := profiletest.New(100)
	f.End(format.EndExit)
	f.Program("tree")
	f.U32(format.HeaderStackDepth, 4)
	f.U64(format.HeaderStacksLost, 30)
	leaf := f.Frame("example.com/tree/v2/node.New[...]", "/home/me/tree/node/node.go", 17)
	grow := f.Frame("example.com/tree/v2/node.(*Tree[...]).grow", "/home/me/tree/node/node.go", 44)
	parse := f.Frame("example.com/tree/v2/internal/a-parser-of-expressions/syntax.(*ExpressionParser).parseParenthesisedOrUnaryOperand.func2.1", "/home/me/tree/internal/a-parser-of-expressions/syntax/parser.go", 1187)
	main, start := f.Frame("main.main", "/home/me/tree/main.go", 9), f.Frame("runtime.main", "/usr/local/go/src/runtime/proc.go", 290)
	paths := []uint32{f.Stack(leaf, main, start), f.Stack(leaf, grow, grow, grow), f.Stack(leaf, parse, parse, main)}
	node := f.Site(format.Site{File: "/home/me/tree/node/node.go", Line: 17, Column: 9, Function: "node.New[...]", Package: "example.com/tree/v2/node", Kind: format.KindComposite, Type: "example.com/tree/v2/node.Node[int]", Bytes: 48})
	list := f.Site(format.Site{File: "/home/me/tree/main.go", Line: 9, Column: 2, Function: "main.main", Package: "main", Kind: format.KindMake, Type: "[]string", Bytes: -1})
	for i := range 600 {
		r := profiletest.Record{Birth: int64(i) * 1e6, Bytes: 48, Site: node, Stack: paths[i%2], Weight: 100}
		switch {
		case i%10 == 0:
			r.Stack = paths[2]
		case i%20 == 5:
			r.Stack = 0
		case i%100 == 1:
			r.Site, r.Stack, r.Bytes = list, f.Stack(main, start), 4096
		}
		if i%3 > 0 {
			r.Dead, r.End, r.DeathCycle = true, r.Birth+50e6, 1
		}
		f.Record(r)
	}
	f.Time(end, format.CauseEnd, 12, 70_000, 9_000_000, 400_000, 9_000_000, 500, 20_000)
	p, err := profile.Decode(bytes.NewReader(f.Bytes()), "tree.4242.filip")
	if err != nil {
		t.Fatal(err)
	}
	return p
}
