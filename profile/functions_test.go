package profile

import (
	"testing"

	"github.com/filip-go/filip/format"
)

func TestNameFunctions(t *testing.T) {
	for _, test := range []struct {
		rewritten           string // the function of a rewritten site of the package
		pkg, function, want string
	}{
		{"", "example.com/a/b", "b.(*T).Run.func1", "b.(*T).Run.func1"},
		{"", "example.com/a/v2", "v2.F[...]", "a.F[...]"},
		{"", "gopkg.in/yaml.v3", "yaml%2ev3.(*parser).parse", "yaml.(*parser).parse"},
		{"text.Parse", "example.com/go-text", "go-text.(*T).F", "text.(*T).F"},
		{"", "example.com/cmd", "main.main.func1", "main.main.func1"},
		{"", "v2", "v2.F", "v2.F"},
		{"", "fmt", "fmt.Sprint", "fmt.Sprint"},
		{"", "", "goexit", "goexit"},
	} {
		sites := []format.Site{
			{Package: test.pkg, Function: test.rewritten, Column: 1},
			{Package: test.pkg, Function: test.function},
		}
		if test.rewritten == "" {
			sites = sites[1:]
		}
		nameFunctions(sites)
		if got := sites[len(sites)-1].Function; got != test.want {
			t.Errorf("%s in %s: %s, want %s", test.function, test.pkg, got, test.want)
		}
	}
}
