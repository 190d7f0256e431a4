package doctor

import (
	"strings"
	"testing"
)

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"no Sets", "a slots=2\nb\n", []string{"ok h: 3 ranks on 2 hosts; one Set, for no line #@set says otherwise"}},
		{"Sets", "#@set s speed=0.5\na\n#@set t\nb slots=2\n", []string{
			"ok h: 3 ranks on 2 hosts; 2 Sets by lines #@set: s (1 rank), t (2 ranks); without MPI, a platform to emulate",
		}},
		{"errors", "a slots=x\n#@set\n", []string{"missing h:1:9: slots=\"x\" > correct this line", "missing h:2: > correct"}},
		{"warnings", strings.Repeat("^x\n", 1) + "a\nx\n#@sat\n", []string{"ok 1 rank on 1 host", "note h:1:1: ^ before a host", "note h:4:3: \"#@sat\" > not all launchers"}},
	} {
		s := bare()
		s.ReadFile = func(string) ([]byte, error) { return []byte(c.text), nil }
		expect(t, c.name, checkHosts(s, Wants{Hosts: "h"}), c.want...)
	}
	expect(t, "none", checkHosts(bare(), Wants{}), "ok no file given")
	expect(t, "not there", checkHosts(bare(), Wants{Hosts: "h"}), "missing open h: file does not exist > -hosts")
}

func TestManyWarnings(t *testing.T) {
	s := bare()
	s.ReadFile = func(string) ([]byte, error) { return []byte("a\n" + strings.Repeat("#@x\n", 8)), nil }
	found := checkHosts(s, Wants{Hosts: "h"})
	expect(t, "the last", found[len(found)-1:], "note 3 more warnings > migbsp hosts")
	if len(found) != 1+mostWarnings+1 {
		t.Errorf("%d findings", len(found))
	}
}
