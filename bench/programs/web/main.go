// Web is a net/http server and four clients of it that talk over loopback: JSON both ways, and a
// page from html/template, all answers compressed.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"

	"github.com/filip-go/filip/bench/stats"
)

const (
	clients  = 4
	requests = 300 // of each kind, by each client
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stats.Report()
}

func run() error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", price)
	mux.HandleFunc("GET /pages/{n}", show)
	server := httptest.NewServer(compressed(mux))
	defer server.Close()
	// Without room for all their connections the clients would open new ones, how many is a
	// matter of luck.
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()

	all := make([]client, clients)
	errs := make([]error, clients)
	var wg sync.WaitGroup
	for i := range all {
		all[i] = client{Client: http.Client{Transport: transport}, url: server.URL}
		wg.Go(func() { errs[i] = all[i].run(i) })
	}
	wg.Wait()
	var items, cents, size int
	for i, c := range all {
		if errs[i] != nil {
			return errs[i]
		}
		items += c.items
		cents += c.cents
		size += c.size
	}
	fmt.Println(items, cents, size)
	return nil
}

type order struct {
	ID       int               `json:"id"`
	Customer string            `json:"customer"`
	Labels   map[string]string `json:"labels,omitempty"`
	Items    []item            `json:"items"`
}

type item struct {
	Name  string   `json:"name"`
	Count int      `json:"count"`
	Cents int      `json:"cents"`
	Tags  []string `json:"tags"`
}

type invoice struct {
	Order order          `json:"order"`
	Total int            `json:"total"`
	Tags  map[string]int `json:"tags"`
}

func generate(id int) order {
	o := order{ID: id, Customer: fmt.Sprintf("customer %d <%d@example.com>", id, id), Labels: map[string]string{"lane": strconv.Itoa(id % 7)}}
	for i := range 20 {
		o.Items = append(o.Items, item{
			Name: fmt.Sprintf("item %d & %d", i, id), Count: 1 + (id+i)%5, Cents: 100 + (id*31+i*17)%900,
			Tags: []string{"t" + strconv.Itoa(i%3), "u" + strconv.Itoa((id+i)%11)},
		})
	}
	return o
}

// price answers an order with an invoice.
func price(w http.ResponseWriter, r *http.Request) {
	in := invoice{Tags: make(map[string]int)}
	if err := json.NewDecoder(r.Body).Decode(&in.Order); err != nil {
		refuse(w, err)
		return
	}
	for _, it := range in.Order.Items {
		in.Total += it.Count * it.Cents
		for _, tag := range it.Tags {
			in.Tags[tag] += it.Count
		}
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(in)
}

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<title>Order {{.ID}}</title>
<h1>{{.Customer}}</h1>
<table>
{{range $i, $item := .Items}}<tr id="row{{$i}}"><td>{{.Name}}<td>{{.Count}} × {{printf "%05d" .Cents}}<td>{{range .Tags}}<a href="/tags/{{.}}?order={{$.ID}}">{{.}}</a> {{else}}none{{end}}
{{end}}</table>
<script>const order = {{.}};</script>
`))

// show answers with an order as a page.
func show(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := page.Execute(w, generate(id)); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// refuse is not http.Error, which would take away the Content-Encoding.
func refuse(w http.ResponseWriter, err error) {
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintln(w, err)
}

var writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

type compressor struct {
	http.ResponseWriter
	gz *gzip.Writer
}

func (c compressor) Write(b []byte) (int, error) { return c.gz.Write(b) }

// compressed compresses all that a handler writes: the clients, being net/http's, accept it.
func compressed(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		gz := writers.Get().(*gzip.Writer)
		defer writers.Put(gz)
		gz.Reset(w)
		w.Header().Set("Content-Encoding", "gzip")
		h.ServeHTTP(compressor{w, gz}, r)
		gz.Close()
	})
}

// A client sums up what it is told. The sums do not depend on who is served first.
type client struct {
	http.Client
	url                string
	items, cents, size int
}

func (c *client) run(n int) error {
	for i := range requests {
		id := i*clients + n
		body, err := json.Marshal(generate(id))
		if err != nil {
			return err
		}
		text, err := read(c.Post(c.url+"/orders", "application/json", bytes.NewReader(body)))
		if err != nil {
			return err
		}
		var in invoice
		if err := json.Unmarshal(text, &in); err != nil {
			return err
		}
		c.items += len(in.Order.Items)
		c.cents += in.Total
		c.size += len(text)
		if text, err = read(c.Get(c.url + "/pages/" + strconv.Itoa(id))); err != nil {
			return err
		}
		c.size += len(text)
	}
	return nil
}

func read(r *http.Response, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", r.Status, text)
	}
	return text, err
}
