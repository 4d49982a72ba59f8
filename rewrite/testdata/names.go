// Elided literals whose types can or cannot be named.
package p

import (
	"go/ast"
	. "go/token"
	gotypes "go/types"
	_ "strings"
	"net/http/httptrace"
	"text/template"
	"text/template/parse"
	"unicode"
)

type T struct{ a, b, c int }
type byPtr *T
type any interface{} // not the predeclared one

func sink(...interface{}) {}

var filip__ = 1

func f(filip__table int) {
	filip___ := filip__
	sink(filip___, []*ast.Ident{{}}, []*Position{{}}, []*gotypes.Package{{}}, []byPtr{{}}, []*unicode.RangeTable{{}})
	sink([]map[string]any{{}}, []map[string]interface{}{{}}, []map[error]bool{{}}, []func(){}, []*[2]func(a, b int, c ...string) (x, y error){{}})
	sink([]map[string]chan<- <-chan int{{}}, []map[string]struct {
		A int `json:"a"`
		T
		*ast.Ident
	}{{}})
	sink(httptrace.ClientTrace{}, template.FuncMap{}, map[string]*parse.Tree{"": {}})
	{
		type T struct{ x, y int }
		sink([]*T{{}})
		ast := 1
		sink(ast, gotypes.NewPackage("", ""))
	}
	outer := []*T{{}}
	type pairs []*T
	{
		type T int
		sink(pairs{{}}, outer, T(1))
	}
	{
		var T int
		sink(pairs{{}}, T)
		string := 1
		sink(string)
		sink(strs{{""}}, nodes{{}})
	}
}

type strs [][]string
type nodes []*ast.File

func g(ast int) { sink(nodes{{}}) }

func G[T interface{}]() { sink([]*T{}, pairsOf[T]{{}}) }

type pairsOf[E interface{}] []*struct{ a, b E }
