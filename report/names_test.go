package report

import "testing"

func TestUnits(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{size(0), "0B"}, {size(1023), "1023B"}, {size(1024), "1.00kB"}, {size(512 << 10), "512kB"}, {size(1023.6 * 1024), "1.00MB"},
		{size(1.21 * (1 << 30)), "1.21GB"}, {size(99.96 * 1024), "100kB"}, {size(9.996 * 1024), "10.0kB"}, {size(1 << 60), "1.00EB"}, {size(1 << 70), ">1Z"},
		{count(0), "0"}, {count(0.4), "0"}, {count(999), "999"}, {count(999.6), "1.00k"}, {count(12345678), "12.3M"}, {count(999_600), "1.00M"}, {count(1e21), ">1Z"},
		{duration(0), "0ns"}, {duration(999.4), "999ns"}, {duration(999.6), "1.00µs"}, {duration(45_200_000), "45.2ms"}, {duration(1.234e9), "1.23s"},
		{duration(99.94e9), "99.9s"}, {duration(99.96e9), "1m40s"}, {duration(754e9), "12m34s"}, {duration(3599.6e9), "1h00m"}, {duration(11_220e9), "3h07m"}, {duration(1e15), "11d"},
		{percent(0), "0%"}, {percent(0.00001), "<.01%"}, {percent(0.0006), "0.06%"}, {percent(0.0412), "4.12%"}, {percent(0.09996), "10.0%"}, {percent(0.4526), "45.3%"}, {percent(0.9996), "100%"}, {percent(1.5), "150%"},
		{plural(1, "sample"), "1 sample"}, {plural(0, "sample"), "0 samples"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

func TestShortType(t *testing.T) {
	for _, test := range []struct{ typ, want string }{
		{"int", "int"},
		{"[]int", "[]int"},
		{"example.com/a/b.T", "b.T"},
		{"*example.com/a/b.T", "*b.T"},
		{"map[string]*example.com/a/b.T", "map[string]*b.T"},
		{"map[a/b.K]c/d.V", "map[b.K]d.V"},
		{"a/b.G[c/d.X,e/f.Y[g/h.Z]]", "b.G[d.X,f.Y[h.Z]]"},
		{"example.com/foo/v2.T", "foo.T"},
		{"example.com/foo/v2/bar.T", "bar.T"},
		{"gopkg.in/yaml.v3.Node", "yaml.v3.Node"},
		{"gopkg.in/yaml%2ev3.Node", "yaml.v3.Node"},
		{"github.com/a-b/c_d~e.T", "c_d~e.T"},
		{"chan<- a/b.T", "chan<- b.T"},
		{"<-chan a/b.T", "<-chan b.T"},
		{"func(int, ...a/b.T) (c/d.E, error)", "func(int, ...b.T) (d.E, error)"},
		{`struct { X a/b.T "json:\"a/b.c\""; Y []c/d.U }`, `struct { X b.T "json:\"a/b.c\""; Y []d.U }`},
		{"struct { X int `a/b` }", "struct { X int `a/b` }"},
		{`struct { X int "a/b`, `struct { X int "a/b`},
		{"main.T·1", "main.T·1"},
		{"a/größe.T", "größe.T"},
		{"a/b.\xffT", "b.\xffT"},
		{"v2.T", "v2.T"},
		{"", ""},
	} {
		if got := shortType(test.typ); got != test.want {
			t.Errorf("%s: got %s, want %s", test.typ, got, test.want)
		}
	}
}

func TestShortFile(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"/a/b/c.go", "b/c.go"}, {"b/c.go", "b/c.go"}, {"c.go", "c.go"}, {"/c.go", "/c.go"}, {`C:\a\b\c.go`, `b\c.go`}, {"", ""},
	} {
		if got := shortFile(test.file); got != test.want {
			t.Errorf("%s: got %s, want %s", test.file, got, test.want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, test := range []struct {
		s    string
		n    int
		want string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdef", 5, "ab…ef"}, {"abcdef", 4, "a…ef"}, {"abcdef", 1, "a"}, {"abcdef", 0, ""}, {"abcdef", -3, ""},
		{"größe", 5, "größe"}, {"a\x1bb\nc", 9, "a\uFFFDb\uFFFDc"},
	} {
		if got := fit(test.s, test.n); got != test.want {
			t.Errorf("%q in %d: got %q, want %q", test.s, test.n, got, test.want)
		}
	}
}
