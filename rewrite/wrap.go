package rewrite

import (
	"bytes"
	"fmt"
	"strconv"
)

// helpers names the helper and its slow path for each form, and in generic code.
var helpers = [...]struct{ plain, generic [2]string }{
	formPtr:      {[2]string{"Ptr", "Object"}, [2]string{"PtrOf", "ObjectOf"}},
	formSlice:    {[2]string{"Slice", "Object"}, [2]string{"SliceOf", "ObjectOf"}},
	formMap:      {[2]string{"Ref", "Map"}, [2]string{"RefOf", "MapOf"}},
	formChan:     {[2]string{"Ref", "Chan"}, [2]string{"RefOf", "ChanOf"}},
	formSliceVar: {[2]string{"Ptr", "SliceVar"}, [2]string{"PtrOf", "SliceVarOf"}},
	formMapVar:   {[2]string{"Ptr", "MapVar"}, [2]string{"PtrOf", "MapVarOf"}},
}

func (s *site) helper() (helper, slow string) {
	h := helpers[s.form]
	pair := h.plain
	switch {
	case s.after != "" && s.generic:
		pair = [2]string{"SeenOf", "ObjectOf"}
	case s.after != "":
		pair = [2]string{"Seen", "Object"}
	case s.convert != "" && s.generic:
		pair = [2]string{"SliceAs", "ObjectOf"}
	case s.generic:
		pair = h.generic
	}
	if s.fn.sites > inlinedSites {
		pair[0] += "Call"
	}
	return pair[0], pair[1]
}

// edits makes the insertions for every file with sites to wrap, and the table of these
// sites.
func (f *finder) edits() (map[int]*buffer, *table, error) {
	names := f.names()
	files := make(map[int]*buffer)
	t := newTable(f.p.Path)
	for i := range f.sites {
		s := &f.sites[i]
		b := files[s.file]
		if b == nil {
			var err error
			if b, err = f.open(s.file, names); err != nil {
				return nil, nil, err
			}
			files[s.file] = b
		}
		n := t.add(f.found[s.found].Site)
		if s.second != 0 {
			t.add(f.found[s.second].Site) // right behind the first: see runtime.ShapeSliceVar
		}
		s.wrap(b, names, n, f.mend(f.p.Files[s.file]))
	}
	return files, t, nil
}

// open starts the edits of a file with the import of our package runtime.
func (f *finder) open(index int, names names) (*buffer, error) {
	file := f.p.Files[index]
	pos := f.p.Fset.File(file.AST.FileStart)
	if pos.Size() != len(file.Src) {
		return nil, fmt.Errorf("rewrite %s: its syntax tree is not of this source", file.Name)
	}
	b := &buffer{old: file.Src}
	b.Insert(pos.Offset(file.AST.Name.End()), fmt.Sprintf(";import %s %q", names.alias, RuntimePath))
	return b, nil
}

// wrap wraps s, the site with index n of the table. The call, and a conversion of its result,
// have the position of the operand, because the compiler gives it to what is done with the
// result. What is spelled gets the position of the literal it belongs to, as the compiler has it
// when it is left out.
func (s *site) wrap(b *buffer, names names, n int, mend func(off int) string) {
	helper, slow := s.helper()
	open, end, at := "(", ")", mend(s.at)
	if s.after == "" && at != "" {
		// The compiler forgets columns past 255, so the line is broken where a directive gives
		// what follows its line and column anyway.
		open = at + "(\n"
		if mend(s.end) != "" {
			end = ",\n)"
		}
	}
	call := names.alias + "." + helper + open
	args := ", &" + names.table + ".Sites[" + strconv.Itoa(n) + "], " + names.alias + "." + slow + end
	switch {
	case s.after == "":
		if s.convert != "" && s.generic {
			args = ", (*" + s.convert + ")(nil)" + args
		}
		if s.convert != "" {
			call, args = s.convert+at+"("+call, args+")"
		}
		if s.spelled != "" {
			call += mend(s.start)
		}
		b.Wrap(s.start, s.end, call+s.spelled, args)
	default:
		b.Insert(s.end, ";"+call+s.after+args)
	}
}

// bom may stand only at the very start of a file, where the //line directive goes.
var bom = []byte("\ufeff")

// finish renders the file with the given index.
func (f *finder) finish(b *buffer, index int) []byte {
	file := f.p.Files[index]
	text := b.Bytes(f.mend(file))
	if file.NoDirectives {
		return text
	}
	column := 1
	if rest, ok := bytes.CutPrefix(text, bom); ok {
		text, column = rest, 1+len(bom)
	}
	return append([]byte(fmt.Sprintf("//line %s:1:%d\n", file.Name, column)), text...)
}

// mend returns the directive that gives the text at an offset of the file its position back.
func (f *finder) mend(file File) func(off int) string {
	pos := f.p.Fset.File(file.AST.FileStart)
	return func(off int) string {
		if file.NoDirectives || !tokensFollow(file.Src[off:]) {
			return ""
		}
		at := f.p.Fset.PositionFor(pos.Pos(off), true)
		if at.Column == 0 {
			return "" // a //line directive without column is in force
		}
		return fmt.Sprintf("/*line :%d:%d*/", at.Line, at.Column)
	}
}

// tokensFollow reports whether anything follows on the line but a comment to its end.
func tokensFollow(src []byte) bool {
	for i, c := range src {
		switch c {
		case ' ', '\t', '\r':
			continue
		case '\n':
			return false
		}
		return !bytes.HasPrefix(src[i:], []byte("//"))
	}
	return false
}
