package run

// Modules are well-known modules of different kinds, whose tests need nothing but Go.
var Modules = []string{
	"github.com/gin-gonic/gin@v1.11.0",                                      // HTTP framework
	"gopkg.in/yaml.v3@v3.0.1",                                               // parser
	"github.com/d5/tengo/v2@v2.17.0",                                        // script language
	"github.com/yuin/goldmark@v1.7.13",                                      // Markdown
	"github.com/mithrandie/csvq@v1.18.1",                                    // SQL engine on CSV
	"github.com/dop251/goja@v0.0.0-20260917113740-793a2a65c13b",             // JavaScript
	"github.com/google/cel-go@v0.26.1",                                      // expression language
	"github.com/spf13/cobra@v1.10.1",                                        // command lines
	"github.com/BurntSushi/toml@v1.5.0",                                     // parser
	"github.com/klauspost/compress@v1.18.0",                                 // compression
	"go.etcd.io/bbolt@v1.4.3",                                               // database
	"github.com/valyala/fasttemplate@v1.2.2",                                // templates
	"github.com/traefik/yaegi@v0.16.1",                                      // Go interpreter
	"github.com/google/btree@v1.1.3",                                        // generic data structure
	"github.com/cockroachdb/pebble@v1.1.5",                                  // database
	"honnef.co/go/tools@v0.7.0",                                             // staticcheck
	"github.com/gohugoio/hugo@v0.162.1 ./hugolib ./parser/... ./common/...", // site generator; all of it takes an hour
}
