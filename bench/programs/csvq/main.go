// Csvq loads a generated CSV of 100,000 rows and groups and orders it with
// github.com/mithrandie/csvq.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/mithrandie/csvq/lib/parser"
	"github.com/mithrandie/csvq/lib/query"

	"github.com/filip-go/filip/bench/stats"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stats.Report()
}

func run() error {
	dir, err := os.MkdirTemp("", "bench-csvq-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := rand.New(rand.NewPCG(1, 2))
	var csv strings.Builder
	csv.WriteString("id,name,dept,salary,age,score\n")
	for i := range 100_000 {
		fmt.Fprintf(&csv, "%d,n%d,d%d,%d,%d,%.6f\n", i, r.IntN(100_000), r.IntN(50), 1000+r.IntN(9000), 18+r.IntN(50), r.Float64())
	}
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(csv.String()), 0o666); err != nil {
		return err
	}
	ctx := context.Background()
	session := query.NewSession()
	out := query.NewOutput()
	session.SetStdout(out)
	tx, err := query.NewTransaction(ctx, 0, 10e6, session)
	if err != nil {
		return err
	}
	if err := tx.SetFlag("REPOSITORY", dir); err != nil {
		return err
	}
	program, _, err := parser.Parse("SELECT dept, COUNT(*), AVG(salary), MAX(score) FROM t WHERE age > 30 GROUP BY dept ORDER BY dept LIMIT 3;", "", false, false)
	if err != nil {
		return err
	}
	if _, err := query.NewProcessor(tx).Execute(ctx, program); err != nil {
		return err
	}
	fmt.Println(out.String())
	return nil
}
