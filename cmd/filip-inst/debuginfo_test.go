package main

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdDebugInfo wants a debugger to see the same of two executables: of each function whose
// source is below the current directory, the lines that its code is from, and the variables
// with their types (in generic code without these: they are numbered there). In programs that
// are not optimised it stops at the same lines; in others the compiler marks as a statement's
// start what it happens to put first, and may have no code at all for the line of a site.
//
//	debuginfo PLAIN INSTRUMENTED [unoptimised]
func cmdDebugInfo(ts *testscript.TestScript, neg bool, args []string) {
	statements := slices.Equal(args[min(len(args), 2):], []string{"unoptimised"})
	if neg || len(args) != 2 && !statements {
		ts.Fatalf("usage: debuginfo plain instrumented [unoptimised]")
	}
	want, err := debugInfo(ts.MkAbs(args[0]), ts.MkAbs("."), statements)
	ts.Check(err)
	got, err := debugInfo(ts.MkAbs(args[1]), ts.MkAbs("."), statements)
	ts.Check(err)
	if len(want) == 0 {
		ts.Fatalf("%s has no function with a source below %s", args[0], ts.MkAbs("."))
	}
	differ := 0
	for _, name := range slices.Sorted(maps.Keys(want)) {
		for fact := range want[name] {
			if !got[name][fact] {
				ts.Logf("%s: only %s has %s", name, args[0], fact)
				differ++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		for fact := range got[name] {
			if !want[name][fact] && (statements || !strings.HasPrefix(fact, "line ")) {
				ts.Logf("%s: only %s has %s", name, args[1], fact)
				differ++
			}
		}
	}
	if differ > 0 {
		ts.Fatalf("%d differences", differ)
	}
}

// debugInfo returns what is known of each function with a source below dir.
func debugInfo(program, dir string, statements bool) (map[string]map[string]bool, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return nil, err
	}
	all := make(map[string]map[string]bool)
	var unit *dwarf.LineReader
	for r := data.Reader(); ; {
		entry, err := r.Next()
		if err != nil || entry == nil {
			return all, err
		}
		switch entry.Tag {
		case dwarf.TagCompileUnit:
			if unit, err = data.LineReader(entry); err != nil {
				return nil, err
			}
			continue
		case dwarf.TagSubprogram:
			name, facts, err := function(data, unit, r, entry, dir, statements)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if len(facts) > 0 {
				all[name] = facts
			}
			continue
		}
		r.SkipChildren()
	}
}

// function returns what is known of a subprogram, and leaves r behind its children.
func function(data *dwarf.Data, unit *dwarf.LineReader, r *dwarf.Reader, entry *dwarf.Entry, dir string, statements bool) (string, map[string]bool, error) {
	name, _ := entry.Val(dwarf.AttrName).(string)
	origin, inlined := entry.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	if inlined { // of a function that is also inlined, an instance of its own
		abstract := data.Reader()
		abstract.Seek(origin)
		e, err := abstract.Next()
		if err != nil {
			return "", nil, err
		}
		name, _ = e.Val(dwarf.AttrName).(string)
	}
	facts := make(map[string]bool)
	vars, err := variables(data, r, entry)
	if err != nil {
		return name, nil, err
	}
	if low, ok := entry.Val(dwarf.AttrLowpc).(uint64); ok && unit != nil {
		high, ok := entry.Val(dwarf.AttrHighpc).(uint64)
		if !ok {
			high = low + uint64(entry.Val(dwarf.AttrHighpc).(int64))
		}
		if err := codeLines(unit, low, high, dir, statements, facts); err != nil {
			return name, nil, err
		}
	}
	if len(facts) == 0 {
		return name, nil, nil
	}
	maps.Copy(facts, vars)
	return name, facts, nil
}

// codeLines adds the lines, or only those where a statement starts, of the code between two
// addresses that are of files below dir.
func codeLines(unit *dwarf.LineReader, low, high uint64, dir string, statements bool, facts map[string]bool) error {
	var at dwarf.LineEntry
	switch err := unit.SeekPC(low, &at); {
	case errors.Is(err, dwarf.ErrUnknownPC):
		return nil
	case err != nil:
		return err
	}
	for at.Address < high && !at.EndSequence {
		if rel, ok := strings.CutPrefix(at.File.Name, dir+string(filepath.Separator)); ok && (at.IsStmt || !statements) {
			facts[fmt.Sprintf("line %s:%d", rel, at.Line)] = true
		}
		if err := unit.Next(&at); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	return nil
}

// variables are the variables and parameters among the children of a subprogram, in inner
// blocks too but not in functions inlined there.
func variables(data *dwarf.Data, r *dwarf.Reader, entry *dwarf.Entry) (map[string]bool, error) {
	found := make(map[string]bool)
	for depth := 1; entry.Children && depth > 0; {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		switch e.Tag {
		case 0:
			depth--
			continue
		case dwarf.TagInlinedSubroutine:
			r.SkipChildren()
			continue
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
				abstract := data.Reader()
				abstract.Seek(origin)
				if e, err = abstract.Next(); err != nil {
					return nil, err
				}
			}
			name, _ := e.Val(dwarf.AttrName).(string)
			typ := ""
			if offset, ok := e.Val(dwarf.AttrType).(dwarf.Offset); ok {
				if t, err := data.Type(offset); err == nil && !strings.HasPrefix(t.String(), ".param") {
					typ = t.String()
				}
			}
			if name != ".dict" && !strings.HasPrefix(name, "~r") {
				found[fmt.Sprintf("variable %s %s", name, typ)] = true
			}
		}
		if e.Children {
			depth++
		}
	}
	return found, nil
}
