module github.com/filip-go/filip

go 1.25.0

tool honnef.co/go/tools/cmd/staticcheck

require (
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/exp v0.0.0-20260611194520-c48552f49976
	golang.org/x/term v0.45.0
	golang.org/x/tools v0.49.0
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.39.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	honnef.co/go/tools v0.7.0 // indirect
)
