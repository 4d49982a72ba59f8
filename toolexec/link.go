package toolexec

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The archive of an instrumented package main carries a member of its own that says how our
// packages were compiled for it. link compiles them again if the cache is gone, and
// leaves a program alone that was not compiled through us. (The linker skips members with
// short names that do not end in .o: cmd/link/internal/ld.loadobjfile.)
const linkMember = "filip.link"

// appendLinkMember adds the member to the archive of package main.
func appendLinkMember(archive string, tc toolchain) error {
	f, err := os.OpenFile(archive, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	data := tc.version + "\n" + strings.Join(tc.flags, " ") + "\n"
	if len(data)%2 != 0 {
		data += "\n" // members start at even offsets
	}
	header := fmt.Sprintf("%-16s%-12d%-6d%-6d%-8o%-10d`\n", linkMember, 0, 0, 0, 0o644, len(data))
	_, err = f.WriteString(header + data)
	return errors.Join(err, f.Close())
}

// readLinkMember finds the member; ok is false if the archive has none.
func readLinkMember(archive string) (goversion string, flags []string, ok bool, err error) {
	data, err := os.ReadFile(archive)
	if err != nil {
		return "", nil, false, err
	}
	const magic, headerSize = "!<arch>\n", 60
	if !bytes.HasPrefix(data, []byte(magic)) {
		return "", nil, false, nil
	}
	for at := len(magic); at+headerSize <= len(data); {
		header := string(data[at : at+headerSize])
		size, err := strconv.Atoi(strings.TrimSpace(header[48:58]))
		at += headerSize
		if err != nil || size < 0 || size > len(data)-at {
			return "", nil, false, fmt.Errorf("%s: malformed archive", archive)
		}
		if strings.TrimSpace(header[:16]) == linkMember {
			lines := strings.Split(string(data[at:at+size]), "\n")
			if len(lines) < 2 {
				return "", nil, false, fmt.Errorf("%s: malformed member %s", archive, linkMember)
			}
			return lines[0], strings.Fields(lines[1]), true, nil
		}
		at += size + size%2
	}
	return "", nil, false, nil
}

// link links a program with our packages, if its package main was compiled through us.
func link(tool string, args []string) error {
	if len(args) == 0 {
		return replaceProcess(tool, args)
	}
	a := arguments{flags: args[:len(args)-1], files: args[len(args)-1:]}
	cfgName := a.get("importcfg")
	goversion, flags, ok, err := readLinkMember(a.files[0])
	if err != nil || !ok || cfgName == "" {
		return replaceProcess(tool, args)
	}
	cfg, err := readImportcfg(cfgName)
	if err != nil {
		return err
	}
	compiler, _, err := compilerFor(filepath.Join(filepath.Dir(tool), "compile"+exeSuffix(tool)))
	if err != nil {
		return err
	}
	archives, err := newToolchain(compiler, goversion, flags).archives(cfg.archives["runtime"])
	if err != nil {
		return err
	}
	for _, p := range injectedPackages {
		cfg.add(injectedPath+p.dir, archives[injectedPath+p.dir])
	}
	cfgName += ".filip"
	if err := cfg.write(cfgName); err != nil {
		return err
	}
	a.set("importcfg", cfgName)
	return replaceProcess(tool, a.list())
}

func exeSuffix(tool string) string {
	if strings.HasSuffix(tool, ".exe") {
		return ".exe"
	}
	return ""
}
