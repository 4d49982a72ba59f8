package toolexec

import (
	"fmt"
	"os"
	"strings"

	"github.com/filip-go/filip/format"
)

// kinds are those of allocation that FILIP_KINDS has seen, all without it: a set of bits
// 1<<format.Kind.
type kinds uint32

func (k kinds) has(kind format.Kind) bool { return k>>kind&1 != 0 }

// settingKinds reads FILIP_KINDS, a comma-separated list of kinds.
func settingKinds() (kinds, error) {
	setting := os.Getenv("FILIP_KINDS")
	var names []string
	byName := make(map[string]format.Kind)
	all := kinds(0)
	for kind := format.Kind(1); kind < format.NumKinds; kind++ {
		names = append(names, kind.String())
		byName[kind.String()] = kind
		all |= 1 << kind
	}
	if setting == "" {
		return all, nil
	}
	some := kinds(0)
	for name := range strings.SplitSeq(setting, ",") {
		kind, ok := byName[strings.TrimSpace(name)]
		if !ok {
			return 0, fmt.Errorf("FILIP_KINDS=%s: %q is not a kind of allocation (%s are)", setting, name, strings.Join(names, ", "))
		}
		some |= 1 << kind
	}
	return some, nil
}

// settings is a file of package runtime that tells the program how it was built.
func settings(k kinds) []byte {
	return fmt.Appendf(nil, "package runtime\n\nimport _ \"unsafe\"\n\n//go:linkname filip_kinds\nvar filip_kinds uint32 = %d\n\n//go:linkname filip_packages\nvar filip_packages = %q\n",
		k, os.Getenv("FILIP_PACKAGES"))
}

// neutralKinds are seen with the neutral compiler only.
const neutralKinds kinds = 1<<format.KindVariable | 1<<format.KindClosure | 1<<format.KindVariadic

// allocationsEnv tells the neutral compiler what to see in the package at hand: see neutral/ssagen.go.
const allocationsEnv = "FILIP_ALLOCATIONS"

// neutral are the kinds that the neutral compiler sees, as allocationsEnv has them.
func (k kinds) neutral() string {
	var names []string
	for _, kind := range []format.Kind{format.KindMake, format.KindVariable, format.KindClosure, format.KindVariadic} {
		if k.has(kind) {
			names = append(names, kind.String())
		}
	}
	if k.has(format.KindString) {
		names = append(names, "bytes")
	}
	return strings.Join(names, ",")
}
