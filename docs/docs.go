// Package docs holds the parts of the documentation that filip-inst help prints.
package docs

import _ "embed"

//go:embed build.md
var Build string // how to build an instrumented program

//go:embed environment.md
var Env string // every environment variable

//go:embed figures.md
var Figures string // what every figure of a report means
