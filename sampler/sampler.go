// Package sampler decides which allocations are sampled. It imports nothing, because it
// is compiled into every instrumented program.
package sampler

import "unsafe"

// Design is how the gaps between samples are drawn.
type Design uint32

const (
	// Geometric draws gaps at random, so that no loop can be in step with the samples: every
	// allocation is sampled with probability 1/N.
	//
	// It does so in two steps. Candidates come with geometric gaps of mean N/K, independently
	// of all else; of the candidates of a site, every K-th becomes a sample, starting at a
	// random phase. Samples of a site are then spread more evenly than by one draw with mean N:
	// after n of them the standard error of the site's number of objects is 1/√(K·n) of it
	// instead of 1/√n, 1.1% instead of 3.2% after 1000. A candidate costs little (it is
	// neither looked up nor noted), so this precision is almost free. Where N is small K is
	// smaller, so that candidates stay random: N/K is at least 2, or K is 1.
	Geometric Design = iota
	// Every samples exactly one in N, as FiLiP does (ISMM'24, section 3.3), starting at a
	// random phase. With an N that is not whole, gaps alternate at random between the two whole
	// numbers around it.
	Every
)

// ParseDesign reads a design as FILIP_SAMPLER gives it; the empty string is Geometric.
func ParseDesign(s string) (Design, bool) {
	switch s {
	case "", "geometric":
		return Geometric, true
	case "every":
		return Every, true
	}
	return 0, false
}

// A Sampler draws the gaps between candidates. One candidate of K becomes a sample, which
// stands for N allocations.
type Sampler struct {
	n       float64 // mean gap between candidates
	k       uint32
	design  Design
	perNats float64 // 1/ln(1-1/n): turns the logarithm of a uniform number into a gap
}

// maxK is the K of Geometric for a large enough N. At 1/100 it makes the slow path a few
// instructions longer once in 12.5 allocations.
const maxK = 8

// New returns the sampler of a design with a mean gap of n ≥ 1 allocations between samples.
func New(d Design, n float64) Sampler {
	s := Sampler{n: n, k: 1, design: d}
	if d == Geometric {
		for s.k < maxK && n >= 4*float64(s.k) { // candidates stay at random
			s.k *= 2
		}
		s.n /= float64(s.k)
	}
	if s.n > 1 {
		s.perNats = 1 / log1p(-1/s.n)
	}
	return s
}

// K is a power of two: of a site's candidates, one in K becomes a sample.
func (s *Sampler) K() uint32 { return s.k }

// Next draws how many allocations pass before the next candidate: 0 for the very next
// allocation. seed is the state of the random numbers.
func (s *Sampler) Next(seed *uint64) int64 {
	if s.n <= 1 {
		return 0
	}
	u := Uniform(seed)
	if s.design == Every {
		return int64(s.n+1-u) - 1 // rounds N down or up, so that the mean gap is N
	}
	return int64(log(u) * s.perNats)
}

// First draws the gap before the first candidate. For Every it is uniform: the phase must be
// random, or the first N-1 allocations of each counter would never be seen.
func (s *Sampler) First(seed *uint64) int64 {
	if s.n > 1 && s.design == Every {
		return int64((1 - Uniform(seed)) * s.n)
	}
	return s.Next(seed)
}

// Level draws a thinning level: k with probability 2^-(k+1), at most 31.
func Level(seed *uint64) uint32 {
	return Lowest(uint32(Random(seed)) | 1<<31)
}

// Lowest is the place of the lowest bit that is set (Leiserson, Prokop and Randall 1998).
func Lowest(bits uint32) uint32 {
	const deBruijn = 0x077CB531
	return uint32(lowestBit[(bits&-bits)*deBruijn>>27])
}

const lowestBit = "\x00\x01\x1c\x02\x1d\x0e\x18\x03\x1e\x16\x14\x0f\x19\x11\x04\x08\x1f\x1b\x0d\x17\x15\x13\x10\x07\x1a\x0c\x12\x06\x0b\x05\x0a\x09"

// Random returns 64 random bits (SplitMix64, Steele et al. 2014: one multiplication chain,
// any seed will do, and goroutines that race on a seed at worst draw the same number).
func Random(seed *uint64) uint64 {
	*seed += 0x9E3779B97F4A7C15
	z := *seed
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Uniform returns a random number in (0, 1].
func Uniform(seed *uint64) float64 {
	return float64(Random(seed)>>11+1) * (1.0 / (1 << 53))
}

const ln2 = 0.693147180559945309417232121458176568

// log is the natural logarithm of x > 0, with a relative error below 1e-10: a gap is drawn
// with it, and rounded.
func log(x float64) float64 {
	bits := *(*uint64)(unsafe.Pointer(&x))
	exp := int64(bits>>52) - 1023
	bits = bits&^(0xFFF<<52) | 1023<<52 // mantissa in [1, 2)
	m := *(*float64)(unsafe.Pointer(&bits))
	if m > 1.4142135623730951 {
		m /= 2
		exp++
	}
	return float64(exp)*ln2 + atanhSeries((m-1)/(m+1))
}

// log1p is log(1+x) for -1 < x ≤ 0, without the cancellation that 1+x would bring.
func log1p(x float64) float64 {
	if x < -0.25 {
		return log(1 + x)
	}
	return atanhSeries(x / (2 + x))
}

// atanhSeries is 2·atanh(s) = log((1+s)/(1-s)) for |s| ≤ 0.172.
func atanhSeries(s float64) float64 {
	q := s * s
	return 2 * s * (1 + q*(1./3+q*(1./5+q*(1./7+q*(1./9+q*(1./11+q*(1./13)))))))
}
