// Package filip holds the sources that instrumented programs are built with. They are
// part of the filip-inst binary, so that it needs no module and no network to compile them.
package filip

import "embed"

// Sources has the directories filter, format, sampler, runtime and runtime/collect, which are
// compiled as packages of their own, and toolexec/accessor, whose files are added to the
// compile of the standard library's package runtime.
//
//go:embed filter/*.go format/*.go sampler/*.go runtime/*.go runtime/collect/*.go toolexec/accessor/*.go
var Sources embed.FS
