package toolexec

import (
	"path/filepath"
	"slices"
	"strings"
)

// arguments are those of compile or link as cmd/go writes them: flags, then file names.
type arguments struct {
	flags []string
	files []string
}

// splitCompile finds where the file names start: behind the last flag. Their names tell
// nothing: a file that stands in for another (-overlay) need not end in .go.
func splitCompile(args []string) arguments {
	i := len(args)
	for i > 0 && !strings.HasPrefix(args[i-1], "-") {
		i--
	}
	if i > 0 && i < len(args) && valued[args[i-1]] {
		i++
	}
	return arguments{slices.Clone(args[:i]), slices.Clone(args[i:])}
}

// valued are the flags with a value of their own that cmd/go may write last: it closes with
// -pack, and behind that with -asmhdr FILE where there is assembly.
var valued = map[string]bool{
	"-asmhdr": true, "-embedcfg": true, "-importcfg": true, "-o": true, "-p": true, "-symabis": true, "-trimpath": true,
}

// get returns the value of a flag, written -name value or -name=value. Of several the last
// counts, as to the tool: -gcflags may repeat what cmd/go has set.
func (a arguments) get(name string) string {
	for i, arg := range slices.Backward(a.flags) {
		if arg == "-"+name && i+1 < len(a.flags) {
			return a.flags[i+1]
		}
		if v, ok := strings.CutPrefix(arg, "-"+name+"="); ok {
			return v
		}
	}
	return ""
}

// has reports whether a boolean flag is set.
func (a arguments) has(name string) bool {
	return slices.Contains(a.flags, "-"+name) || slices.Contains(a.flags, "-"+name+"=true")
}

// diagnoses reports whether the compiler is to say what it does, with -m.
func (a arguments) diagnoses() bool {
	return slices.ContainsFunc(a.flags, func(f string) bool { return f == "-m" || strings.HasPrefix(f, "-m=") })
}

// set replaces the value of a flag that is there, the last of several, or adds the flag.
func (a *arguments) set(name, value string) {
	for i, arg := range slices.Backward(a.flags) {
		if arg == "-"+name && i+1 < len(a.flags) {
			a.flags[i+1] = value
			return
		}
		if strings.HasPrefix(arg, "-"+name+"=") {
			a.flags[i] = "-" + name + "=" + value
			return
		}
	}
	a.flags = append(a.flags, "-"+name+"="+value)
}

func (a arguments) list() []string { return slices.Concat(a.flags, a.files) }

// replace has the file at to compiled in place of the i-th, under that one's name.
func (a *arguments) replace(i int, to string) {
	name := a.files[i]
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	// What a //line directive would do; cmd/go does the same for overlays.
	a.set("trimpath", to+"=>"+trimPath(name, a.get("trimpath"))+";"+a.get("trimpath"))
	a.files[i] = to
}
