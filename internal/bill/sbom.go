package main

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The types below are the required parts of an SPDX 2.3 document
// (https://spdx.github.io/spdx-spec/v2.3/) in JSON, and further known ones.

type spdxDocument struct {
	Version       string             `json:"spdxVersion"`
	DataLicence   string             `json:"dataLicense"`
	ID            string             `json:"SPDXID"`
	Name          string             `json:"name"`
	Namespace     string             `json:"documentNamespace"`
	Creation      spdxCreation       `json:"creationInfo"`
	Packages      []spdxPackage      `json:"packages"`
	Files         []spdxFile         `json:"files"`
	Relationships []spdxRelationship `json:"relationships"`
	Licences      []spdxLicence      `json:"hasExtractedLicensingInfos,omitempty"`
}

type spdxCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID         string         `json:"SPDXID"`
	Name       string         `json:"name"`
	Version    string         `json:"versionInfo"`
	Supplier   string         `json:"supplier"`
	Download   string         `json:"downloadLocation"`
	Analysed   bool           `json:"filesAnalyzed"`
	Concluded  string         `json:"licenseConcluded"`
	Declared   string         `json:"licenseDeclared"`
	Copyright  string         `json:"copyrightText"`
	Purpose    string         `json:"primaryPackagePurpose"`
	References []spdxExternal `json:"externalRefs,omitempty"`
}

type spdxExternal struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxFile struct {
	ID        string         `json:"SPDXID"`
	Name      string         `json:"fileName"`
	Types     []string       `json:"fileTypes"`
	Checksums []spdxChecksum `json:"checksums"`
	Concluded string         `json:"licenseConcluded"`
	Copyright string         `json:"copyrightText"`
}

type spdxChecksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type spdxRelationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

type spdxLicence struct {
	ID   string `json:"licenseId"`
	Text string `json:"extractedText"`
	Name string `json:"name"`
}

const (
	document = "SPDXRef-DOCUMENT"
	ours     = "SPDXRef-Package-migbsp"
	unsaid   = "NOASSERTION"
)

var notOfAnID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func spdxID(kind, name string) string {
	return "SPDXRef-" + kind + "-" + notOfAnID.ReplaceAllString(name, "-")
}

// sbom writes the bill of materials: the package, its programs with their sums, and for
// each program which modules are linked into it.
func (l *list) sbom(w io.Writer, name, version string, created time.Time) error {
	d := spdxDocument{
		Version: "SPDX-2.3", DataLicence: "CC0-1.0", ID: document, Name: name,
		Creation: spdxCreation{created.Format(time.RFC3339), []string{"Tool: migbsp-bill-" + version, "Organization: migbsp maintainers"}},
		Packages: []spdxPackage{{
			ID: ours, Name: "migbsp", Version: version, Supplier: "Organization: migbsp maintainers",
			Download: "git+https://github.com/migbsp/migbsp.git", Concluded: "Apache-2.0", Declared: "Apache-2.0", Copyright: unsaid, Purpose: "APPLICATION",
			References: []spdxExternal{{"PACKAGE-MANAGER", "purl", "pkg:golang/github.com/migbsp/migbsp@v" + version}},
		}},
		Relationships: []spdxRelationship{{document, "DESCRIBES", ours}},
	}
	for _, m := range l.modules {
		d.Packages = append(d.Packages, m.spdx())
		if !strings.HasPrefix(m.licence, "LicenseRef-") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.dir, m.files[0]))
		if err != nil {
			return err
		}
		d.Licences = append(d.Licences, spdxLicence{m.licence, string(text), "Licence of " + m.path})
	}
	whole := sha256.New()
	for _, p := range l.programs {
		content, err := os.ReadFile(p.file)
		if err != nil {
			return err
		}
		whole.Write(content)
		f := spdxFile{
			ID: spdxID("File", p.name), Name: "./" + p.name, Types: []string{"BINARY"}, Concluded: unsaid, Copyright: unsaid,
			Checksums: []spdxChecksum{{"SHA1", fmt.Sprintf("%x", sha1.Sum(content))}, {"SHA256", fmt.Sprintf("%x", sha256.Sum256(content))}},
		}
		d.Files = append(d.Files, f)
		// A package whose files were not analysed, as no verification code is given,
		// contains none.
		d.Relationships = append(d.Relationships, spdxRelationship{ours, "GENERATES", f.ID})
		for _, m := range slices.Sorted(slices.Values(p.modules)) {
			d.Relationships = append(d.Relationships, spdxRelationship{f.ID, "STATIC_LINK", spdxID("Package", m)})
		}
	}
	d.Namespace = fmt.Sprintf("https://github.com/migbsp/migbsp/spdx/%s-%x", name, whole.Sum(nil)[:16])
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

func (m module) spdx() spdxPackage {
	p := spdxPackage{
		ID: spdxID("Package", m.path), Name: m.path, Version: m.version, Supplier: unsaid,
		Download: "https://proxy.golang.org/" + m.path + "/@v/" + m.version + ".zip", Concluded: m.licence, Declared: m.licence, Copyright: unsaid, Purpose: "LIBRARY",
		References: []spdxExternal{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.path + "@" + m.version}},
	}
	if m.path == "std" {
		p.Name, p.Version, p.Supplier, p.Download = "Go standard library", strings.TrimPrefix(m.version, "go"), "Organization: The Go Authors", "https://go.dev/dl/"+m.version+".src.tar.gz"
		p.References[0].Locator = "pkg:golang/std@" + p.Version
	}
	return p
}
