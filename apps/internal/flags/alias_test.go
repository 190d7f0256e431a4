package flags

import (
	"bytes"
	"flag"
	"strings"
	"testing"
)

// Both names set the same, help shows both, and either is found where it has no use.
func TestAlias(t *testing.T) {
	set := flag.NewFlagSet("p", flag.ContinueOnError)
	n := set.Int("n", 3, "`numbers`")
	addAlias(set, "size", "n")
	if err := set.Parse([]string{"-n", "4", "-size", "5"}); err != nil || *n != 5 {
		t.Errorf("n is %d, %v", *n, err)
	}
	if err := unused(set, "for nothing", []string{"size"}); err == nil || err.Error() != "-size 5: for nothing" {
		t.Errorf("%v", err)
	}
	var help bytes.Buffer
	set.SetOutput(&help)
	set.PrintDefaults()
	if text := help.String(); !strings.Contains(text, "-size name\n    \tanother name of -n (default 3)") || strings.Contains(text, "panic") {
		t.Error(text)
	}
}
