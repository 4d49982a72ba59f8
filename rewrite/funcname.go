package rewrite

import (
	"go/ast"
	"go/types"
	"strconv"
)

// A function is where a site stands, with the counters from which the compiler numbers the
// function literals in it (cmd/compile/internal/ir, closureName).
type function struct {
	name    string
	generic bool
	lit     bool      // a function literal
	home    *function // of the body of a loop over a function: where the loop stands
	lits    int
	ranges  int
	sites   int // those that are wrapped

	body   *ast.BlockStmt
	slices map[types.Object]sliceUse // see uses
}

// declared is the function of a declaration.
func (f *finder) declared(d *ast.FuncDecl) *function {
	name := d.Name.Name
	fn := &function{generic: d.Type.TypeParams != nil, body: d.Body}
	switch {
	case d.Recv != nil && len(d.Recv.List) > 0:
		recv, generic := receiver(d.Recv.List[0].Type)
		fn.generic = generic
		name = recv + "." + name
	case name == "init":
		name += "." + strconv.Itoa(f.inits)
		f.inits++
	case fn.generic:
		name += "[...]"
	}
	fn.name = f.p.Types.Name() + "." + name
	return fn
}

// receiver is a method's receiver type as the compiler spells it in function names.
func receiver(e ast.Expr) (name string, generic bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.StarExpr:
		name, generic = receiver(e.X)
		return "(*" + name + ")", generic
	case *ast.IndexExpr:
		name, _ = receiver(e.X)
		return name + "[...]", true
	case *ast.IndexListExpr:
		name, _ = receiver(e.X)
		return name + "[...]", true
	case *ast.Ident:
		return e.Name, false
	}
	return "?", false
}

// literal is the function of the next function literal in fn.
func (fn *function) literal() *function {
	if fn.home != nil {
		fn = fn.home
	}
	fn.lits++
	return fn.numbered(fn.lits)
}

func (fn *function) numbered(n int) *function {
	sep := ".func"
	if fn.lit {
		sep = "."
	}
	return &function{name: fn.name + sep + strconv.Itoa(n), generic: fn.generic, lit: true}
}

// loop is the function that the compiler makes of the body of the next loop over a function
// in fn.
func (fn *function) loop() *function {
	if fn.home != nil {
		fn = fn.home
	}
	fn.ranges++
	return &function{name: fn.name + "-range" + strconv.Itoa(fn.ranges), generic: fn.generic, home: fn}
}

// initLiterals numbers the function literals of package-level initialisers, which the
// compiler meets in the order of initialisation.
func initLiterals(info *types.Info) map[*ast.FuncLit]int {
	numbers := make(map[*ast.FuncLit]int)
	for _, init := range info.InitOrder {
		ast.Inspect(init.Rhs, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok {
				numbers[lit] = len(numbers) + 1
			}
			return !ok
		})
	}
	return numbers
}
