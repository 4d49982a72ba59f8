package rewrite

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
)

// A span is a token's place in a source.
type span struct {
	start, end int
	text       string
}

// tokens scans src, which also makes file know the //line directives in it.
func tokens(file *token.File, src []byte) []span {
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	var spans []span
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return spans
		}
		if tok == token.SEMICOLON && lit == "\n" || tok == token.COMMENT {
			continue
		}
		if lit == "" {
			lit = tok.String()
		}
		start := file.Offset(pos)
		spans = append(spans, span{start, start + len(lit), lit})
	}
}

// checkPositions compares the position of every token of p's rewritten files, start and
// end, with that in the original.
func checkPositions(p *Package, res *Result) error {
	f := find(p)
	files, _, err := f.edits()
	if err != nil {
		return err
	}
	for i, b := range files {
		file := p.Files[i]
		added := make(map[int]int) // bytes, by offset in the original
		mend := f.mend(file)
		text := b.Bytes(func(off int) string {
			added[off] += len(mend(off))
			return mend(off)
		})
		for _, in := range b.ins {
			added[in.off] += len(in.text)
		}
		if !bytes.HasSuffix(res.Files[i], bytes.TrimPrefix(text, bom)) {
			return fmt.Errorf("%s: rewritten differently a second time", file.Name)
		}
		shift := len(res.Files[i]) - len(text)
		if err := comparePositions(file, res.Files[i], added, shift); err != nil {
			return err
		}
	}
	return nil
}

func comparePositions(file File, text []byte, added map[int]int, shift int) error {
	var offs []int
	for off := range added {
		offs = append(offs, off)
	}
	slices.Sort(offs)
	oldFile := token.NewFileSet().AddFile(file.Name, -1, len(file.Src))
	newFile := token.NewFileSet().AddFile(file.Name, -1, len(text))
	oldTokens := tokens(oldFile, file.Src)
	tokens(newFile, text)
	sum := shift
	for _, t := range oldTokens {
		for len(offs) > 0 && offs[0] <= t.start {
			sum += added[offs[0]]
			offs = offs[1:]
		}
		if got := text[t.start+sum : t.end+sum]; !bytes.Equal(got, file.Src[t.start:t.end]) {
			return fmt.Errorf("%s: token %q has become %q", file.Name, t.text, got)
		}
		for _, off := range [2]int{t.start, t.end - 1} {
			want := oldFile.PositionFor(oldFile.Pos(off), true)
			got := newFile.PositionFor(newFile.Pos(off+sum), true)
			want.Offset, got.Offset = 0, 0
			if got != want {
				return fmt.Errorf("%v: token %q has moved to %v", want, t.text, got)
			}
		}
	}
	return nil
}
