package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf16"

	"github.com/migbsp/migbsp/ledger"
)

// data is what the script reads, and what a reader can save.
type data struct {
	Schema  string          `json:"schema"`
	Summary *ledger.Summary `json:"summary"`
	Ranks   []string        `json:"ranks"`
	Sites   []string        `json:"sites"`
	Columns []string        `json:"columns"` // of Course
	Course  [][]float64     `json:"course"`  // times are sums over the supersteps of a line
	Heat    heatData        `json:"heat"`
	Mapping mappingData     `json:"mapping"`
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

func newData(h *ledger.History, all course, heat heat, m mapping) data {
	d := data{
		Schema: ledger.Schema, Summary: h.Summarize(h.End), Columns: courseColumns,
		Heat: heatData{heat.Bands, heat.Levels}, Mapping: mappingData{m.Bands, m.Ways},
	}
	for rank := range h.Run.Ranks {
		d.Ranks = append(d.Ranks, h.Run.At(rank))
	}
	sites := make(map[string]int)
	for i := range all {
		c := &all[i]
		if _, known := sites[c.Site]; !known {
			sites[c.Site] = len(d.Sites)
			d.Sites = append(d.Sites, c.Site)
		}
		d.Course = append(d.Course, []float64{
			float64(c.First), float64(c.Last), float64(c.Count), float64(sites[c.Site]),
			c.Max.Seconds(), c.avg().Seconds(), c.Min.Seconds(), c.Comm.Seconds(), c.Total.Seconds(),
			float64(c.Slowest), float64(c.Calls), float64(c.Moved),
		})
	}
	return d
}

// ascii is a value as JSON that no character of can mean anything to the page
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
