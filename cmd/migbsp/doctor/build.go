package doctor

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The Go version that go.mod requires.
const goMajor, goMinor = 1, 26

var goVersion = regexp.MustCompile(`go(\d+)\.(\d+)[\w.]*`)

// checkGo checks the tool chain.
func checkGo(s *System, _ Wants) []Finding {
	get := fmt.Sprintf("to build programs, get Go %d.%d or later from https://go.dev/dl; programs that are built run without", goMajor, goMinor)
	if s.has("go") == "" {
		const usual = "/usr/local/go/bin"
		if s.exists(rooted(usual + "/go")) {
			return missing("no go on PATH, but one in "+usual, "export PATH=\"$PATH:"+usual+"\"; scripts/install and scripts/testbed find it by themselves")
		}
		return missing("no go on PATH", get)
	}
	text, _ := s.Run("go", "version")
	v := goVersion.FindStringSubmatch(text)
	if v == nil {
		return missing("go version says "+strconv.Quote(brief(text)), get)
	}
	major, _ := strconv.Atoi(v[1])
	minor, _ := strconv.Atoi(v[2])
	if major < goMajor || major == goMajor && minor < goMinor {
		return missing(v[0]+", which is too old", get)
	}
	return ok(v[0] + " for " + s.Platform)
}

// compiler returns the C compiler that go build would use, or "".
func (s *System) compiler() string {
	names := []string{"gcc", "clang", "cc"}
	if words := strings.Fields(s.Getenv("CC")); len(words) > 0 {
		names = words[:1]
	}
	return append(s.present(names), "")[0]
}

// checkC checks the C compiler for cgo.
func checkC(s *System, _ Wants) []Finding {
	const get = "needed only for -tags mpi, -tags openblas and go test -race: apt-get install gcc libc6-dev, or dnf install gcc glibc-devel"
	cc := s.compiler()
	if cc == "" {
		return missing("no C compiler on PATH", get)
	}
	text, err := s.Run(cc, "--version")
	if err != nil {
		return missing(cc+" does not run: "+brief(text+" "+err.Error()), get)
	}
	if s.Getenv("CGO_ENABLED") == "0" {
		return note(brief(text)+"; CGO_ENABLED=0 switches it off", "for -tags mpi or -tags openblas: unset CGO_ENABLED")
	}
	if text, err := s.Run(cc, "-E", "-include", "pthread.h", "-x", "c", "/dev/null"); err != nil {
		return missing(cc+" without the headers of the C library: "+brief(text), get)
	}
	return ok(brief(firstLine(text)))
}

// checkBLAS asks the compiler for OpenBLAS, or the linker's cache.
func checkBLAS(s *System, _ Wants) []Finding {
	const get = "needed only for -tags openblas: apt-get install libopenblas-dev, or dnf install openblas-devel"
	library := s.openblas()
	cc := s.compiler()
	header := false
	if cc != "" {
		_, err := s.Run(cc, "-E", "-include", "cblas.h", "-x", "c", "/dev/null")
		header = err == nil
	}
	switch {
	case library != "" && header:
		return ok("OpenBLAS: " + library + " and cblas.h")
	case library != "":
		return missing("OpenBLAS: "+library+", but no cblas.h to build with", get)
	case header:
		return missing("cblas.h, but no libopenblas", get)
	default:
		return missing("no OpenBLAS; lu uses its own kernels", get)
	}
}

// openblas returns the name of the library, or "" if it is not installed.
func (s *System) openblas() string {
	const name = "libopenblas.so"
	if cc := s.compiler(); cc != "" {
		if text, err := s.Run(cc, "-print-file-name="+name); err == nil && strings.Contains(text, "/") {
			return name
		}
	}
	for _, ldconfig := range s.present([]string{"ldconfig", "/sbin/ldconfig"}) {
		text, _ := s.Run(ldconfig, "-p")
		for line := range strings.Lines(text) {
			if words := strings.Fields(line); len(words) > 0 && strings.HasPrefix(words[0], name) {
				return words[0]
			}
		}
	}
	return ""
}

// firstLine returns the first line of a text that is not empty.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// brief returns the beginning of a program's output.
func brief(text string) string {
	const most = 60
	line := []rune(firstLine(text))
	if len(line) > most {
		return string(line[:most]) + "..."
	}
	return string(line)
}
