// Yaml decodes and encodes a generated document with gopkg.in/yaml.v3: as structs, as maps,
// and as nodes with their comments.
package main

import (
	"fmt"
	"os"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/filip-go/filip/bench/stats"
)

type document struct {
	Defaults service            `yaml:"defaults"`
	Services map[string]service `yaml:"services"`
}

type service struct {
	Image    string            `yaml:"image"`
	Replicas int               `yaml:"replicas"`
	Weight   float64           `yaml:"weight,omitempty"`
	Env      map[string]string `yaml:"env,omitempty"`
	Ports    []port            `yaml:"ports,flow"`
	Script   string            `yaml:"script,omitempty"`
}

type port struct {
	Name   string `yaml:"name"`
	Number uint16 `yaml:"number"`
	Public *bool  `yaml:"public,omitempty"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stats.Report()
}

func run() error {
	text := generate()
	size := 0
	for range 3 {
		for _, v := range []any{new(document), new(map[string]any), new(yaml.Node)} {
			if err := yaml.Unmarshal(text, v); err != nil {
				return err
			}
			out, err := yaml.Marshal(v)
			if err != nil {
				return err
			}
			size += len(out)
		}
	}
	fmt.Println(len(text), size)
	return nil
}

func generate() []byte {
	var doc strings.Builder
	doc.WriteString("# generated\ndefaults: &defaults\n  image: \"base:1\"\n  replicas: 1\n  ports: []\nservices:\n")
	for i := range 1500 {
		fmt.Fprintf(&doc, "  service-%d: # number %d\n    <<: *defaults\n    image: 'registry.example.com/team-%d/app:%d'\n    weight: %d.%d\n", i, i, i%20, i, i%7, i%10)
		fmt.Fprintf(&doc, "    env:\n      HOME: /srv/%d\n      \"MODE\": %q\n      LIMIT: \"%d\"\n", i, []string{"fast", "slow", "on: off"}[i%3], i*10)
		fmt.Fprintf(&doc, "    ports: [{name: http, number: %d}, {name: admin, number: %d, public: %t}]\n", 8000+i, 20000+i, i%2 == 0)
		fmt.Fprintf(&doc, "    script: |\n      set -e\n      run --id %d\n", i)
	}
	return []byte(doc.String())
}
