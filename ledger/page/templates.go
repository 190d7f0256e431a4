package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"

	"github.com/migbsp/migbsp/ledger"
)

//go:embed web
var web embed.FS

var (
	style  = webFile("style.css")
	script = webFile("script.js")

	// policy lets the page's own style, script and pictures in, and nothing else.
	policy = "default-src 'none'; style-src " + hashOf(style) + "; script-src " + hashOf(script) +
		"; img-src data:; base-uri 'none'; form-action 'none'"

	templates = template.Must(template.New("").Funcs(template.FuncMap{
		"policy":  func() string { return policy },
		"style":   func() template.CSS { return template.CSS(style) },
		"script":  func() template.JS { return template.JS(script) },
		"seconds": seconds,
		"bytes":   ledger.Bytes,
		"share":   share,
		"factor":  factor,
		"count":   count,
		"schema":  func() string { return ledger.Schema },
	}).ParseFS(web, "web/*.html"))
)

func webFile(name string) string {
	text, err := web.ReadFile("web/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// hashOf names a text in a content security policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
