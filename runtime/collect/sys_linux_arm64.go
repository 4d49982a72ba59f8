package collect

const (
	sysGetcwd    = 17
	sysMmap      = 222
	sysUnlinkat  = 35
	sysFallocate = 47
	sysOpenat    = 56
	sysClose     = 57
	sysPread64   = 67
	sysPwrite64  = 68
	sysKill      = 129
	sysGetpid    = 172
	sysPrlimit64 = 261
	sysStatx     = 291
)
