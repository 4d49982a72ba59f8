package p

import "fmt"

type T struct{ a, b int }

func f() {
	x := &T{
		a: 1, // one
	}
	fmt.Println(x, &T{}, `raw
`, &T{})
}