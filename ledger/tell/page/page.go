package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// Write makes the page of a run. traffic is nil if it is not known.
func Write(w io.Writer, v *tell.View, traffic *ledger.Traffic) error {
	return execute(w, "report.html", newReport(v, traffic))
}

// WriteComparison makes the page of two runs side by side.
func WriteComparison(w io.Writer, a, b *tell.View) error {
	return execute(w, "compare.html", newComparison(a, b))
}

// execute runs a template and writes its output; if the template fails it writes nothing.
func execute(w io.Writer, name string, model any) error {
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, name, model); err != nil {
		return err
	}
	_, err := w.Write(clean(text.Bytes()))
	return err
}

//go:embed web
var web embed.FS

var (
	style  = webFile("style.css")
	script = webFile("script.js")

	// policy admits only the page's own style, script and pictures.
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
		"count":   ledger.Count,
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

// clean replaces characters that a page must not have: bytes that are not UTF-8, control
// characters, and characters that change the direction of the text around them.
func clean(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return utf8.RuneError
		}
		return r
	}, text)
}

// data has the figures that the script reads and a reader can save.
type data struct {
	Schema  string        `json:"schema"`
	Summary *tell.Summary `json:"summary"`
	Ranks   []string      `json:"ranks"`
	Sites   []string      `json:"sites"`
	Columns []string      `json:"columns"` // of Course
	Course  [][]float64   `json:"course"`  // times are sums over the supersteps of a line
	Heat    heatData      `json:"heat"`
	Mapping mappingData   `json:"mapping"`
}

type heatData struct {
	Rows   []band `json:"rows"`
	Levels string `json:"levels"`
}

type mappingData struct {
	Rows []band `json:"rows"`
	Ways []way  `json:"ways"`
}

// courseColumns are the columns of the timeline, also when it is saved; site is
// a number in Sites.
var courseColumns = []string{"first", "last", "count", "site", "w_max_s", "w_avg_s", "w_min_s", "comm_s", "total_s", "slowest_rank", "calls", "moved"}

func newData(v *tell.View, all course, heat heat, m mapping) data {
	d := data{
		Schema: ledger.Schema, Summary: v.Summary(), Columns: courseColumns,
		Heat: heatData{heat.Bands, heat.Levels}, Mapping: mappingData{m.Bands, m.Ways},
	}
	for rank := range v.Account.Run().Ranks {
		d.Ranks = append(d.Ranks, v.Account.Run().At(rank))
	}
	sites := make(map[string]int)
	for i := range all {
		c := &all[i]
		if _, known := sites[c.Where()]; !known {
			sites[c.Where()] = len(d.Sites)
			d.Sites = append(d.Sites, c.Where())
		}
		d.Course = append(d.Course, []float64{
			float64(c.Step.First), float64(c.Step.Last), float64(c.Step.Count), float64(sites[c.Where()]),
			c.Step.WorkMax.Seconds(), c.Step.WorkAvg().Seconds(), c.Step.WorkMin.Seconds(), c.Step.Comm.Seconds(), c.Step.Total.Seconds(),
			float64(c.Step.SlowestRank), float64(c.Calls), float64(c.Moved),
		})
	}
	return d
}

// ascii returns a value as JSON that no character of can mean anything to the page
// around it: < > & are escaped by json, all beyond ASCII here.
func ascii(value any) (template.JS, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return template.JS(b.String()), nil
}
