// Bolt puts, gets, iterates over and deletes keys in a database file of go.etcd.io/bbolt.
package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"github.com/filip-go/filip/bench/stats"
)

const (
	keys    = 60_000
	batches = 120
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stats.Report()
}

func run() error {
	dir, err := os.MkdirTemp("", "bench-bolt-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// The disk is not what is measured.
	db, err := bolt.Open(filepath.Join(dir, "bench.db"), 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		return err
	}
	defer db.Close()
	r := rand.New(rand.NewPCG(1, 2))
	if err := put(db, r); err != nil {
		return err
	}
	found, err := get(db, r)
	if err != nil {
		return err
	}
	before, err := list(db)
	if err != nil {
		return err
	}
	if err := remove(db); err != nil {
		return err
	}
	after, err := list(db)
	if err != nil {
		return err
	}
	fmt.Println(found, before, after)
	return nil
}

var bucket = []byte("rows")

// put writes every key once, in an order drawn at random, many to a transaction.
func put(db *bolt.DB, r *rand.Rand) error {
	order := r.Perm(keys)
	for len(order) > 0 {
		batch := order[:keys/batches]
		order = order[len(batch):]
		err := db.Update(func(tx *bolt.Tx) error {
			rows, err := tx.CreateBucketIfNotExists(bucket)
			if err != nil {
				return err
			}
			for _, n := range batch {
				if err := rows.Put(key(n), fmt.Appendf(nil, "row %d of the table, %d", n, n*n)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// get looks keys up, one to a transaction, of which a third are not there.
func get(db *bolt.DB, r *rand.Rand) (found int, err error) {
	for range keys {
		err := db.View(func(tx *bolt.Tx) error {
			if tx.Bucket(bucket).Get(key(r.IntN(keys+keys/2))) != nil {
				found++
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return found, nil
}

// A digest is of rows in their order.
type digest struct {
	rows int
	sum  uint32
}

func list(db *bolt.DB) (d digest, err error) {
	err = db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(k, v []byte) error {
			d.rows++
			d.sum = crc32.Update(crc32.Update(d.sum, crc32.IEEETable, k), crc32.IEEETable, v)
			return nil
		})
	})
	return d, err
}

// remove deletes two keys of three, in a transaction for each part of the table.
func remove(db *bolt.DB) error {
	for i := range batches {
		err := db.Update(func(tx *bolt.Tx) error {
			rows := tx.Bucket(bucket)
			for n := i * keys / batches; n < (i+1)*keys/batches; n++ {
				if n%3 == 0 {
					continue
				}
				if err := rows.Delete(key(n)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func key(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
