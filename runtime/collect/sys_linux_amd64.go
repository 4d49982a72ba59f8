package collect

const (
	sysClose     = 3
	sysMmap      = 9
	sysPread64   = 17
	sysPwrite64  = 18
	sysGetpid    = 39
	sysKill      = 62
	sysGetcwd    = 79
	sysOpenat    = 257
	sysUnlinkat  = 263
	sysFallocate = 285
	sysPrlimit64 = 302
	sysStatx     = 332
)

// commit stores v after all that was stored before, as every store is on amd64.
func commit(p *uint32, v uint32) { *p = v }

// Every load is atomic on amd64, and stays in order with other loads and stores.

func load(p *uint32) uint32   { return *p }
func load64(p *uint64) uint64 { return *p }
