// Demo loads a generated CSV file of 200,000 rows into csvq, an SQL engine for CSV files,
// and runs some queries on it: the nearest thing to the data frame of the FiLiP papers.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"time"

	"github.com/mithrandie/csvq/lib/file"
	"github.com/mithrandie/csvq/lib/option"
	"github.com/mithrandie/csvq/lib/parser"
	"github.com/mithrandie/csvq/lib/query"
)

const (
	orders    = 200_000
	customers = 500
)

// queries are run in this order. The first loads orders.csv, which the others find loaded.
var queries = []struct{ name, sql string }{
	{"load and filter", `
		SELECT COUNT(*) AS large_orders FROM orders WHERE quantity >= 15 AND region = 'north'`},
	{"group by", `
		SELECT region, COUNT(*) AS orders, SUM(quantity * price) AS revenue
		FROM orders GROUP BY region ORDER BY region`},
	{"join", `
		SELECT c.segment, COUNT(*) AS orders, MAX(o.price) AS dearest
		FROM (SELECT customer, price FROM orders WHERE quantity = 20) o
		JOIN customers c ON o.customer = c.customer
		GROUP BY c.segment ORDER BY orders DESC`},
	{"order by", `
		SELECT id, day, quantity * price AS total
		FROM orders ORDER BY total DESC, id LIMIT 3`},
}

func main() {
	log.SetFlags(0)
	start := time.Now()
	step := func(name string) { log.Printf("%6.2fs  %s", time.Since(start).Seconds(), name) }

	step(fmt.Sprintf("generate orders.csv (%d rows) and customers.csv (%d rows)", orders, customers))
	if err := generate(); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	session := query.NewSession()
	session.SetOutFile(os.Stdout)
	tx, err := query.NewTransaction(ctx, file.DefaultWaitTimeout, file.DefaultRetryDelay, session)
	if err != nil {
		log.Fatal(err)
	}
	tx.Flags.ExportOptions.Format = option.TEXT
	proc := query.NewProcessor(tx)
	for _, q := range queries {
		step(q.name)
		statements, _, err := parser.Parse(q.sql, "", false, false)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := proc.Execute(ctx, statements); err != nil {
			log.Fatal(err)
		}
	}
	if err := proc.ReleaseResources(); err != nil {
		log.Fatal(err)
	}
	step("done")
}

// generate writes orders.csv and customers.csv to the working directory, the same ones in
// every run.
func generate() error {
	rng := rand.New(rand.NewPCG(1, 2))
	err := write("customers.csv", "customer,segment", customers, func(w *bufio.Writer, i int) {
		segments := []string{"home", "office", "public"}
		fmt.Fprintf(w, "C%04d,%s\n", i, segments[rng.IntN(len(segments))])
	})
	if err != nil {
		return err
	}
	return write("orders.csv", "id,day,customer,region,quantity,price,note", orders, func(w *bufio.Writer, i int) {
		regions := []string{"north", "south", "east", "west"}
		day := time.Date(2024, 1, 1+rng.IntN(366), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		fmt.Fprintf(w, "%d,%s,C%04d,%s,%d,%d.%02d,note %d\n", i, day, 1+rng.IntN(customers), regions[rng.IntN(len(regions))],
			1+rng.IntN(20), rng.IntN(500), rng.IntN(100), rng.IntN(1000))
	})
}

// write creates a file of a heading and n lines.
func write(name, heading string, n int, line func(w *bufio.Writer, i int)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, heading)
	for i := range n {
		line(w, i+1)
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
