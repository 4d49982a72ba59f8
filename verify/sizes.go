package verify

import "slices"

// slotSizes has the bytes of a slot by size class, those of Go 1.25 and 1.26
// (internal/runtime/gc.SizeClassToSize).
var slotSizes = [...]uint16{
	0, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352,
	384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304,
	2688, 3072, 3200, 3456, 4096, 4864, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880,
	12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
}

// tinyClass is the class of spans that the tiny allocator takes its blocks from: 16 bytes,
// without pointers.
const (
	tinyClass = 2<<1 | 1
	tinyBlock = 16
	pageSize  = 8192
)

// slotWithin is the largest number of bytes up to n that a slot may have.
func slotWithin(n uint64) uint64 {
	if n > 32768 {
		return n - n%pageSize
	}
	i, exact := slices.BinarySearch(slotSizes[:], uint16(n))
	if !exact {
		i--
	}
	return uint64(slotSizes[i])
}
