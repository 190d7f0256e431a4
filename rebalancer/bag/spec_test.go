package bag

import (
	"bytes"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"workqueue": "workqueue", "workqueue,k=1": "workqueue", "workqueue,k=10": "workqueue,k=10", "lds,beta=5,corr=0.5": "lds,beta=5,corr=0.5", "auto": "auto",
	} {
		if s, err := Parse(text); err != nil || s.String() != want {
			t.Errorf("%s is %v, %v; want %s", text, s, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                    `there is no policy ""; there are workqueue, static, gss, factoring, lds, auto`,
		"fifo":                `there is no policy "fifo"`,
		"workqueue,k=0":       "k=0: expected a whole number from 1 to",
		"workqueue,k=1.5":     "k=1.5: expected a whole number from 1",
		"lds,beta=0":          "beta=0: expected a number from 0.001",
		"lds,beta=-1":         "beta=-1: expected a number",
		"lds,beta=5,beta=6":   "beta=6: beta is given twice",
		"lds,k=5":             `lds has no parameter "k"; it has beta=20`,
		"gss,k=5":             `gss has no parameters, but "k" follows`,
		"factoring,alpha=NaN": "alpha=NaN: expected a number",
		"lds,beta":            "beta: expected a number",
	} {
		if _, err := Parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	var out bytes.Buffer
	Help(&out)
	for _, s := range All() {
		if !strings.Contains(out.String(), "  "+s.Name()+" ") {
			t.Errorf("help has no %s:\n%s", s.Name(), out.String())
		}
	}
}

func TestNewRefuses(t *testing.T) {
	spec := mustParse(t, "gss")
	for want, f := range map[string]func() (*Bag, error){
		"a bag needs a policy":                     func() (*Bag, error) { return New(1, 1, Spec{}, Options{}) },
		"a bag of 0 tasks; expected at least 1":    func() (*Bag, error) { return New(0, 1, spec, Options{}) },
		"a bag for 0 workers; expected at least 1": func() (*Bag, error) { return New(1, 0, spec, Options{}) },
		"-1 retries": func() (*Bag, error) { return New(1, 1, spec, Options{Retries: -1}) },
		"tasks 3 to 7 were done before, but the last one is 4": func() (*Bag, error) { return New(5, 1, spec, Options{Done: []Span{{3, 5}}}) },
	} {
		if _, err := f(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
