package hostfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

func TestTopologies(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"two sites", "SwitchName=A Nodes=a[01-02]\nSwitchName=B Nodes=b1,b2\nSwitchName=wan Switches=A,B\n", "A(a01 a02) B(b1 b2)"},
		{"no upper level", "SwitchName=A Nodes=a\nSwitchName=B Nodes=b\n", "A(a) B(b)"},
		{"racks of sites", "SwitchName=r1 Nodes=n1\nSwitchName=r2 Nodes=n2\nSwitchName=r3 Nodes=n3\nSwitchName=A Switches=r[1-2]\nSwitchName=B Switches=r3\nSwitchName=wan Switches=A,B\n", "A(n1 n2) B(n3)"},
		{"site and rack below one switch", "SwitchName=r1 Nodes=n1\nSwitchName=r2 Nodes=n2\nSwitchName=r3 Nodes=n3\nSwitchName=A Switches=r[1-2]\nSwitchName=wan Switches=A,r3\n", "r3(n3) A(n1 n2)"},
		{"two spines", "SwitchName=s1 Switches=l[1-2]\nSwitchName=s2 Switches=l[1-2]\nSwitchName=l1 Nodes=a\nSwitchName=l2 Nodes=b\n", "l1(a) l2(b)"},
		{"one switch", "SwitchName=s Nodes=n[1-3]\n", "s(n1 n2 n3)"},
		{"one leaf below others", "SwitchName=top Switches=mid\nSwitchName=mid Switches=leaf\nSwitchName=leaf Nodes=a\n", "leaf(a)"},
		{"a switch without nodes", "SwitchName=empty\nSwitchName=s Nodes=a\nSwitchName=u Nodes=b\n", "s(a) u(b)"},
		{"blocks", "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2,4\n", "b1(n1 n2) b2(n3 n4)"},
		{"case, spaces, other keys, comments", "# sites\nswitchname = A\tnodes = a LinkSpeed=100 # fast\n\nSWITCHNAME=B NODES=b\n", "A(a) B(b)"},
		{"lines that go on", "SwitchName=A \\\n  Nodes=a\nSwitchName=B Nodes=b \\\n", "A(a) B(b)"},
		{"CR LF", "SwitchName=A Nodes=a\r\nSwitchName=B Nodes=b\r\n", "A(a) B(b)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := must.Get(ParseTopology("t", strings.NewReader(c.text)))(t)
			if got := setsOf(f); got != c.want || len(f.Warnings) > 0 || f.DividedBy() != "switches of t" {
				t.Errorf("got %s %q, want %s", got, warnings(f), c.want)
			}
			checkSound(t, f)
		})
	}
}

func TestWrongTopologies(t *testing.T) {
	var switches strings.Builder
	for i := range maxSwitches + 1 {
		fmt.Fprintf(&switches, "SwitchName=s%d Nodes=n%d\n", i, i)
	}
	refuses(t, func(text string) (*File, error) { return ParseTopology("t", strings.NewReader(text)) }, []row{
		{"nothing", "", "t:1:1: no switch or block with nodes"},
		{"no nodes", "SwitchName=a\n", "t:1:1: no switch or block with nodes, expected SwitchName=SET Nodes=HOSTS"},
		{"nodes of none", "SwitchName=a Nodes=x\n Nodes=b\n", "t:2:2: nodes or switches of no switch, expected SwitchName= or BlockName= on the same line"},
		{"many switches", "SwitchName=s[1-2] Nodes=x\n", `t:1:13: "s[1-2]" as the name of a Set`},
		{"switch twice", "SwitchName=s Nodes=x\nSwitchName=S Nodes=y\n", "t:2:12: switch S, which is on line 1 already, expected each switch once"},
		{"two on a line", "SwitchName=s Nodes=x SwitchName=u Nodes=y\n", "t:1:22: SwitchName= again on a line"},
		{"unknown switch", "SwitchName=s Nodes=x\nSwitchName=u Switches=s,v\n", `t:2:25: switch "v", expected one that a line SwitchName= names`},
		{"loop", "SwitchName=s Switches=u\nSwitchName=u Switches=s\n", `t:1:12: switch "s" below itself, expected a tree of switches`},
		{"itself", "SwitchName=s Switches=s Nodes=a\n", `t:1:12: switch "s" below itself`},
		{"node of two switches", "SwitchName=s Nodes=x,y\nSwitchName=u Nodes=z,y\n", "t:2:22: host y in Set u, which line 1 puts into Set s, expected each host in one Set"},
		{"open bracket", "SwitchName=s Nodes=x,y[1\n", "t:1:23: bracket that nothing closes"},
		{"open bracket on a line that goes on", "SwitchName=s \\\n Nodes=x[1\n", "t:2:9: bracket that nothing closes"},
		{"no value", "SwitchName=s Nodes\n", `t:1:14: "Nodes" without a value`},
		{"Include", "Include=other.conf\n", "t:1:1: Include=, which is not followed"},
		{"byte order mark", "\xef\xbb\xbfSwitchName=s Nodes=x\n", "t:1:1: byte order mark of UTF-8"},
		{"many switches in all", switches.String(), "t:8193:12: more than 8192 switches"},
	})
	broken := errors.New("broken")
	if _, err := ParseTopology("t", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestReadSets(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"topology", "# c\nSwitchName=A Nodes=a\nSwitchName=B Nodes=b\n", "A(a) B(b)"},
		{"blocks", "BlockSizes=1\nBlockName=A Nodes=a\n", "A(a)"},
		{"host file", "#@set A\na slots=2\n#@set B\nb\n", "A(a) B(b)"},
		{"Sets alone", "#@set A nodes=a[1-2]\n#@set B nodes=b manager=b\n", "A(a1 a2) B(b)"},
		{"some with lines", "a2 slots=3\n#@set A nodes=a[1-2]\n", "A(a2 a1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sets")
			must.Do(t, os.WriteFile(path, []byte(c.text), 0o600))
			f := must.Get(ReadSets(path))(t)
			if got := setsOf(f); got != c.want || f.Name != path || len(f.Warnings) > 0 {
				t.Errorf("got %s of %s, %q, want %s", got, f.Name, warnings(f), c.want)
			}
		})
	}
	refuses(t, func(text string) (*File, error) { return ParseSetsFile("f", []byte(text)) }, []row{
		{"no Set", "a slots=2\nb\n", "f:1:1: a file without Sets, expected #@set SET nodes=HOSTS, or SwitchName=SET Nodes=HOSTS"},
		{"nothing", "", "f:1:1: a file without hosts"},
		{"host in two Sets", "#@set A nodes=a\n#@set B nodes=a\n", "f:2:15: host a in Set B, which line 1 puts into Set A"},
		{"manager elsewhere", "#@set A nodes=a manager=b\n", `f:1:25: manager "b", expected a host of Set A`},
		{"open bracket", "SwitchName=A Nodes=a[\n", "f:1:21: bracket that nothing closes"},
	})
	if _, err := ReadSets(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := ReadSets(t.TempDir()); err == nil {
		t.Error("a directory was read")
	}
}

func TestParseSets(t *testing.T) {
	for text, want := range map[string]string{
		"siteA=alpha[01-03];siteB=beta[1-2]": "siteA(alpha01 alpha02 alpha03) siteB(beta1 beta2)",
		" A = a , b ;\n B=c d;":              "A(a b) B(c d)",
		"A=a.x;B=b.x":                        "A(a.x) B(b.x)",
		"default=a;B=b":                      "default(a) B(b)",
	} {
		f, err := ParseSets("v", text)
		if err != nil || setsOf(f) != want || len(f.Warnings) > 0 || f.DividedBy() != "v" {
			t.Errorf("%q: got %+v, %v, want %s", text, f, err, want)
		}
	}
	refuses(t, func(text string) (*File, error) { return ParseSets("v", text) }, []row{
		{"nothing", " ; ", "v:1:1: no Set, expected SET=HOSTS;SET=HOSTS"},
		{"a file", "A", `v:1:2: Set "A" without hosts, expected SET=HOSTS, not a file`},
		{"no hosts", "A=", `v:1:3: Set "A" without hosts, expected SET=HOSTS, not a file`},
		{"no name", "A=a;=b", `v:1:5: "" where a Set is named`},
		{"name", "A=a;B/C=b", `v:1:6: "B/C" as the name of a Set`},
		{"Set twice", "A=a;A=b", "v:1:5: Set A again, expected each Set once"},
		{"open bracket", "A=a[1-2;B=b", "v:1:4: bracket that nothing closes"},
		{"high to low", "A=a\n;B=b[3-1]", "v:2:6: range 3-1 from high to low"},
		{"function", "A=switch{s}", `v:1:3: "switch{s}", a function`},
		{"host in two Sets", "A=a;B=A", "v:1:7: host a in Set B, which line 1 puts into Set A"},
	})
}
