package sampler

import (
	"math"
	"testing"
)

func TestParseRate(t *testing.T) {
	for _, tt := range []struct {
		in string
		n  float64
		ok bool
	}{
		{"", 0, true}, {"0", 0, true}, {"0%", 0, true}, {"0/5", 0, true},
		{"1/1000", 1000, true}, {"1000", 1000, true}, {"0.001", 1000, true}, {"0.1%", 1000, true},
		{"1e-3", 1000, true}, {"1e3", 1000, true}, {"1/1", 1, true}, {"1", 1, true}, {"100%", 1, true},
		{"2/5", 2.5, true}, {".5", 2, true}, {"2.5", 2.5, true},
		{"3/2", 0, false}, {"101%", 0, false}, {"-1", 0, false}, {"1/0", 0, false}, {"1/", 0, false},
		{"/2", 0, false}, {"x", 0, false}, {"1/1000 ", 0, false}, {"1e", 0, false}, {"1e400", 0, false},
		{"%", 0, false}, {".", 0, false}, {"1e-300", 0, false}, {"1e20", 0, false}, {"1//2", 0, false},
	} {
		n, ok := ParseRate(tt.in)
		if ok != tt.ok || ok && math.Abs(n-tt.n) > 1e-9*tt.n {
			t.Errorf("ParseRate(%q) = %v, %v; want %v, %v", tt.in, n, ok, tt.n, tt.ok)
		}
	}
}

func FuzzParseRate(f *testing.F) {
	for _, s := range []string{"1/1000", "0.1%", "1e-3", "", "0", "1/0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, ok := ParseRate(s); ok && n != 0 && !(n >= 1 && n <= maxGap*1.001) {
			t.Errorf("ParseRate(%q) = %v", s, n)
		}
	})
}

func TestLog(t *testing.T) {
	for _, x := range []float64{1, 0.5, 0.25, 1e-9, 1.0 / (1 << 53), 0.9999999, 0.70710678, 0.7072, 3, 1e300} {
		if got, want := log(x), math.Log(x); math.Abs(got-want) > 1e-10*math.Abs(want) {
			t.Errorf("log(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{-1e-15, -1e-9, -0.001, -0.1, -0.25, -0.2500001, -0.5, -0.999} {
		if got, want := log1p(x), math.Log1p(x); math.Abs(got-want) > 1e-10*math.Abs(want) {
			t.Errorf("log1p(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestMeanGap draws many gaps of each design: the share of allocations sampled is 1/N
// within five standard errors.
func TestMeanGap(t *testing.T) {
	const draws = 200_000
	for _, d := range []Design{Geometric, Every} {
		for _, n := range []float64{1, 2, 2.5, 10, 1000, 1e6} {
			s := New(d, n)
			seed := uint64(42)
			sum, squares := 0.0, 0.0
			for range draws {
				g := float64(s.Next(&seed)) + 1
				sum += g
				squares += g * g
			}
			mean := sum / draws
			sd := math.Sqrt(squares/draws - mean*mean)
			n := n / float64(s.K())
			if math.Abs(mean-n) > 5*sd/math.Sqrt(draws)+1e-9 {
				t.Errorf("design %d, N=%v: mean gap %v", d, n, mean)
			}
			if want := math.Sqrt(n * (n - 1)); d == Geometric && math.Abs(sd-want) > 0.02*want {
				t.Errorf("geometric, N=%v: standard deviation %v, want %v", n, sd, want)
			}
			if d == Every && n == math.Trunc(n) && sd != 0 {
				t.Errorf("every, N=%v: gaps differ (sd %v)", n, sd)
			}
		}
	}
}

// TestFirstIsUnbiased restarts a sampler many times over runs shorter than its gap.
func TestFirstIsUnbiased(t *testing.T) {
	const n, length, runs = 100, 30, 200_000
	for _, d := range []Design{Geometric, Every} {
		s := New(d, n)
		seed := uint64(7)
		sampled := 0
		for range runs {
			for at := s.First(&seed); at < length; at += s.Next(&seed) + 1 {
				sampled++
			}
		}
		want := float64(runs) * length / n * float64(s.K())
		if math.Abs(float64(sampled)-want) > 5*math.Sqrt(want) {
			t.Errorf("design %d: %d samples, want %v", d, sampled, want)
		}
	}
}

func TestK(t *testing.T) {
	for _, tt := range []struct {
		d Design
		n float64
		k uint32
	}{
		{Geometric, 1, 1}, {Geometric, 2, 1}, {Geometric, 3.9, 1}, {Geometric, 4, 2}, {Geometric, 15.9, 4},
		{Geometric, 16, 8}, {Geometric, 1e6, 8}, {Every, 1, 1}, {Every, 1000, 1},
	} {
		s := New(tt.d, tt.n)
		if s.K() != tt.k {
			t.Errorf("design %d, N=%v: K = %d, want %d", tt.d, tt.n, s.K(), tt.k)
		}
	}
}

func TestLevel(t *testing.T) {
	seed := uint64(1)
	var count [32]int
	const draws = 1 << 20
	for range draws {
		count[Level(&seed)]++
	}
	for k := range 8 {
		want := float64(draws) / float64(int(2)<<k)
		if math.Abs(float64(count[k])-want) > 5*math.Sqrt(want) {
			t.Errorf("level %d: %d draws, want %v", k, count[k], want)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	s := New(Geometric, 1000)
	seed := uint64(1)
	for b.Loop() {
		s.Next(&seed)
	}
}
