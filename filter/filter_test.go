package filter

import "testing"

func TestIncludes(t *testing.T) {
	for _, tt := range []struct {
		setting, path string
		std           bool
		want          bool
	}{
		{"", "example.com/a", false, true},
		{"", "fmt", true, true},
		{",, ,", "fmt", true, true},
		{"all", "fmt", true, true},
		{"all", "example.com/a", false, true},
		{"std", "net/http", true, true},
		{"std", "example.com/a", false, false},
		{"std", "std", false, false}, // somebody's module

		{"example.com/a", "example.com/a", false, true},
		{"example.com/a", "example.com/a/b", false, false},
		{"example.com/a", "example.com/ab", false, false},
		{"example.com/a", "fmt", true, false},
		{"example.com/a/...", "example.com/a", false, true},
		{"example.com/a/...", "example.com/a/b/c", false, true},
		{"example.com/a/...", "example.com/ab", false, false},
		{"example.com/a...", "example.com/ab", false, true},
		{".../b", "example.com/a/b", false, true},
		{".../b", "example.com/a/c", false, false},
		{"example.com/.../c", "example.com/a/b/c", false, true},
		{"...", "anything", false, true},
		{"net/...", "net", true, true},
		{"net/...", "net/http", true, true},
		{"example.com/a+b", "example.com/a+b", false, true}, // not a regular expression
		{"example.com/a.b", "example.com/axb", false, false},
		{"example.com/a, fmt", "fmt", true, true},
		{" example.com/a ,fmt", "example.com/a", false, true},

		{"!std", "fmt", true, false},
		{"!std", "example.com/a", false, true},
		{"!all", "example.com/a", false, false},
		{"!net/http", "net/http", true, false},
		{"!net/http", "net/http/httptest", true, true},
		{"!net/http/...", "net/http/httptest", true, false},
		{"!net/http,!fmt", "fmt", true, false},
		{"!net/http,!fmt", "strings", true, true},
		{"std,!net/...", "net", true, false},
		{"std,!net/...", "fmt", true, true},
		{"!net/...,std", "net", true, false}, // whatever the order
		{"!net/...,std", "example.com/a", false, false},
		{"example.com/a/...,!example.com/a/gen", "example.com/a/gen", false, false},
		{"example.com/a/...,!example.com/a/gen", "example.com/a/b", false, true},
		{"all,!all", "fmt", true, false},

		{"example.com/.../b...", "example.com/x/y/bc", false, true},
		{"example.com/.../b...", "example.com/x/y/c", false, false},
		{"...", "fmt", true, true},
		{"example.com/a/...", "example.com/", false, false},

		{"example.com/a", "example.com/a_test", false, true}, // its external tests
		{"!example.com/a", "example.com/a_test", false, false},
	} {
		if got := Includes(tt.setting, tt.path, tt.std); got != tt.want {
			t.Errorf("FILIP_PACKAGES=%q: includes %s: %v, want %v", tt.setting, tt.path, got, tt.want)
		}
	}
}
