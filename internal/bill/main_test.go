package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// All that scripts/install builds, with MPI or without, is under licences that are
// allowed, and what only MPI needs is in nothing else.
func TestShippedPrograms(t *testing.T) {
	for tags, mpi := range map[string]bool{"": false, "mpi openblas": true} {
		var out bytes.Buffer
		if err := run([]string{"-root", testrun.Root(t), "-tags", tags}, &out); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(out.String(), "gompi "); got != mpi || !strings.Contains(out.String(), "tablewriter") {
			t.Errorf("tags %q:\n%s", tags, &out)
		}
	}
}

// scratch is a module whose program imports a vendored module with this licence.
func scratch(t *testing.T, licence string) string {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                           "module m\n\ngo 1.26.0\n\nrequire example.org/other v1.2.3\n",
		"main.go":                          "package main\n\nimport _ \"example.org/other\"\n\nfunc main() {}\n",
		"vendor/modules.txt":               "# example.org/other v1.2.3\n## explicit; go 1.26.0\nexample.org/other\n",
		"vendor/example.org/other/o.go":    "package other\n",
		"vendor/example.org/other/LICENSE": licence,
	} {
		if licence == "" && strings.HasSuffix(name, "other/LICENSE") {
			continue
		}
		must.Write(t, filepath.Join(root, name), text, 0o644)
	}
	return root
}

func TestLicencesOfOthers(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	defer func(was string) { read = was }(read)
	read += fmt.Sprintf("example.org/other MIT %x\nexample.org/other GPL-2.0-only %x\n", sha256.Sum256([]byte("MIT License")), sha256.Sum256([]byte("GPL")))
	for licence, want := range map[string]string{
		"MIT License":                    "",
		"":                               "there is no LICENSE in ",
		"MIT License, for students only": "nobody has read this text yet",
		"GPL":                            "example.org/other is under GPL-2.0-only, which is not allowed",
	} {
		var out bytes.Buffer
		err := run([]string{"-root", scratch(t, licence), "."}, &out)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", licence, err, want)
		}
		if !strings.Contains(out.String(), "example.org/other  v1.2.3 ") {
			t.Errorf("%.40q: it is not in the table:\n%s", licence, &out)
		}
	}
}

func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"-sbom needs -installed and -version":     {"-sbom", "x"},
		"there are no programs of Go in ":         {"-installed", t.TempDir()},
		"-installed and packages (./apps/lu)":     {"-installed", t.TempDir(), "./apps/lu"},
		"there are no programs in these packages": {"-root", testrun.Root(t), "./ledger"},
	} {
		if err := run(args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

// The files that go with programs: the notices have all licences whole, the bill of
// materials has what SPDX 2.3 demands, all programs with their sums, and for each all
// modules that Go says it has.
func TestFilesForPrograms(t *testing.T) {
	root := testrun.Root(t)
	programs := testrun.Build(t, "", "./apps/prefixsum", "./cmd/stagevet")
	dir := t.TempDir()
	var made [2][]byte
	for i := range made {
		args := []string{"-root", root, "-installed", programs, "-notices", filepath.Join(dir, "notices"), "-sbom", filepath.Join(dir, "sbom"), "-name", "migbsp-1.2.3-x", "-version", "1.2.3", "-date", "1767225600"}
		var out bytes.Buffer
		must.Do(t, run(args, &out))
		text := must.Get(os.ReadFile(filepath.Join(dir, "sbom")))(t)
		made[i] = text
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("the same programs give another bill of materials")
	}
	notices := must.Get(os.ReadFile(filepath.Join(dir, "notices")))(t)
	must.Have(t, string(notices), "Matt Sherman", "WAKAYAMA Shirou", "The Go Authors", "Thomas Pelletier", "golang.org/x/tools v", "IN NO EVENT")
	checkSPDX(t, made[0], programs)
}

// checkSPDX holds a document to the fields that SPDX 2.3 demands and to the programs.
func checkSPDX(t *testing.T, text []byte, programs string) {
	t.Helper()
	type object = map[string]any
	var d object
	must.Do(t, json.Unmarshal(text, &d))
	str := func(o object, key string, form string) string {
		t.Helper()
		s, _ := o[key].(string)
		if !regexp.MustCompile("^(?:" + form + ")$").MatchString(s) {
			t.Errorf("%s is %q in %v", key, s, o["name"])
		}
		return s
	}
	list := func(o object, key string) (all []object) {
		t.Helper()
		array, _ := o[key].([]any)
		for _, x := range array {
			all = append(all, x.(object))
		}
		if len(all) == 0 {
			t.Errorf("%s is empty", key)
		}
		return all
	}
	const licence = `NOASSERTION|[A-Za-z0-9.-]+`
	str(d, "spdxVersion", `SPDX-2\.3`)
	str(d, "dataLicense", `CC0-1\.0`)
	str(d, "SPDXID", "SPDXRef-DOCUMENT")
	str(d, "name", ".+")
	str(d, "documentNamespace", `https://[^#\s]+`)
	creation := d["creationInfo"].(object)
	str(creation, "created", `2026-01-01T00:00:00Z`)
	if c, ok := creation["creators"].([]any); !ok || len(c) == 0 || !strings.HasPrefix(c[0].(string), "Tool: ") {
		t.Errorf("creators: %v", creation)
	}
	ids := map[string]string{"SPDXRef-DOCUMENT": ""} // with what they name
	add := func(o object, name string) {
		id := str(o, "SPDXID", `SPDXRef-[A-Za-z0-9.-]+`)
		if _, twice := ids[id]; twice {
			t.Errorf("%s is there twice", id)
		}
		ids[id] = name
	}
	for _, p := range list(d, "packages") {
		add(p, str(p, "name", ".+"))
		str(p, "versionInfo", `v?\d.*`)
		str(p, "downloadLocation", `(git\+)?https://\S+`)
		str(p, "licenseConcluded", licence)
		str(p, "licenseDeclared", licence)
		if p["filesAnalyzed"] != false {
			t.Errorf("%v: filesAnalyzed is not false, which demands a code of all files that it contains", p["name"])
		}
		for _, r := range list(p, "externalRefs") {
			str(r, "referenceCategory", "PACKAGE-MANAGER")
			str(r, "referenceType", "purl")
			str(r, "referenceLocator", `pkg:golang/\S+@\S+`)
		}
	}
	for _, f := range list(d, "files") {
		add(f, strings.TrimPrefix(str(f, "fileName", `\./.+`), "./"))
		for i, c := range list(f, "checksums") {
			str(c, "algorithm", []string{"SHA1", "SHA256"}[i])
			str(c, "checksumValue", []string{"[0-9a-f]{40}", "[0-9a-f]{64}"}[i])
		}
	}
	linked := make(map[string]bool)
	described := false
	for _, r := range list(d, "relationships") {
		from, to := str(r, "spdxElementId", ".+"), str(r, "relatedSpdxElement", ".+")
		_, ok1 := ids[from]
		_, ok2 := ids[to]
		if kind := str(r, "relationshipType", "DESCRIBES|GENERATES|STATIC_LINK"); !ok1 || !ok2 {
			t.Errorf("%s %s %s names what is not there", from, kind, to)
		} else if kind == "DESCRIBES" {
			described = true
		} else if kind == "STATIC_LINK" {
			linked[ids[from]+" "+ids[to]] = true
		}
	}
	if !described {
		t.Error("the document describes nothing")
	}
	files, _ := filepath.Glob(filepath.Join(programs, "*"))
	for _, file := range files {
		info := must.Get(buildinfo.ReadFile(file))(t)
		for _, m := range info.Deps {
			if !linked[filepath.Base(file)+" "+m.Path] {
				t.Errorf("that %s has %s is not said", filepath.Base(file), m.Path)
			}
		}
		if !linked[filepath.Base(file)+" Go standard library"] || len(info.Deps) == 0 {
			t.Errorf("%s: the standard library is not said", file)
		}
	}
	if len(files) != 2 {
		t.Errorf("programs: %q", files)
	}
}

// All that has been read is allowed, and each text has one licence.
func TestWhatWasRead(t *testing.T) {
	seen := make(map[string]bool)
	for line := range strings.Lines(read) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 || len(f[2]) != 64 || seen[f[0]+f[2]] {
			t.Fatalf("%q: expected a module, its licence and the sum of its text, once", line)
		}
		seen[f[0]+f[2]] = true
		if err := check(f[0], f[1]); err != nil {
			t.Error(err)
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d licences were read", len(seen))
	}
}

func TestWhatIsAllowed(t *testing.T) {
	for _, c := range []struct {
		module, licence string
		ok              bool
	}{
		{"example.org/m", "MIT", true},
		{"example.org/m", "GPL-3.0-only", false},
		{"example.org/m", "LicenseRef-gompi", false},
		{"example.org/m", "", false},
		{"github.com/sbromberger/gompi", "LicenseRef-gompi", true},
	} {
		if err := check(c.module, c.licence); (err == nil) != c.ok {
			t.Errorf("%s under %q: %v", c.module, c.licence, err)
		}
	}
}
