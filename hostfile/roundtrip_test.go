package hostfile

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// bare is a copy without what the canonical form may change.
func bare(f *File) *File {
	c := *f
	c.Name, c.Warnings = "", nil
	c.Hosts, c.Sets, c.Links = append([]Host{}, f.Hosts...), append([]Set{}, f.Sets...), append([]Link{}, f.Links...)
	for i := range c.Hosts {
		c.Hosts[i].Line, c.Hosts[i].open = 0, false
		c.Hosts[i].Share.Line, c.Hosts[i].Share.Col = 0, 0
	}
	for i := range c.Sets {
		c.Sets[i].Line = 0
	}
	for i := range c.Links {
		c.Links[i].Line = 0
		c.Links[i].Share.Line, c.Links[i].Share.Col = 0, 0
	}
	return &c
}

// checkRoundTrip writes a file and reads it again.
func checkRoundTrip(t *testing.T, rules Rules, f *File) {
	t.Helper()
	text := written(f)
	again, err := rules.Parse("h", strings.NewReader(text))
	if err != nil {
		t.Fatalf("the canonical form is wrong: %v\n%s", err, text)
	}
	if !reflect.DeepEqual(bare(f), bare(again)) {
		t.Fatalf("canonical form\n%s\ngives\n%+v\nnot\n%+v", text, bare(again), bare(f))
	}
	if f.Emulated() != again.Emulated() {
		t.Fatalf("Emulated is %t, then %t", f.Emulated(), again.Emulated())
	}
	if twice := written(again); twice != text {
		t.Fatalf("written again\n%s\nnot\n%s", twice, text)
	}
}

func TestCanonicalForm(t *testing.T) {
	for _, c := range []row{
		{"no Sets", "b:2\na\n", "b slots=2\na slots=1\n"},
		{"figures", "#@link y x latency=3ms\n#@set x manager=A speed=0.50\nu@a max_slots=2\n#@host a memory=2048MiB speed=0.5\n#@set y rate=8000Mb/s\nb[1-2]\n",
			"#@set x manager=a speed=0.5\nu@a slots=2 max_slots=2\n#@host a speed=0.5 memory=2GiB\n#@set y rate=8Gb/s\nb1 slots=1\nb2 slots=1\n#@link y x rate=8Gb/s latency=3ms\n"},
		{"shares", "#@link y x share=\"a b.txt\"\n#@set x\na\nc\n#@host a share=a.txt speed=1\n#@host c share=../x\n#@set y\nb\n",
			"#@set x\na slots=1\n#@host a speed=1 share=a.txt\nc slots=1\n#@host c share=../x\n#@set y\nb slots=1\n#@link y x rate=10Gb/s latency=40us share=\"a b.txt\"\n"},
		{"Sets of which each has some", "a1\nb1\na2\n#@set a nodes=a[1-2] memory=0\n", "#@set a memory=0 nodes=a1,a2\n#@set default nodes=b1\na1 slots=1\nb1 slots=1\na2 slots=1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parse(t, c.text)
			if got := written(f); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			checkRoundTrip(t, Rules{}, f)
		})
	}
}

// source makes random lines that are right.
type source struct{ *rand.Rand }

func (r source) pick(options ...string) string { return options[r.IntN(len(options))] }

func (r source) figures() string {
	return r.pick("", " speed=0.3", " speed=1", " speed=1.0000000000000002") +
		r.pick("", " rate=1Gb/s", " rate=0.3MiB/s", " rate=10Gb/s") +
		r.pick("", " latency=0s", " latency=1.000001ms") + r.pick("", " memory=0", " memory=3GiB", " memory=12345B")
}

func (r source) host(name string) string {
	if r.IntN(2) == 0 {
		return "u@" + name + r.pick("", ":3", " slots=4", " slots=2 max_slots=7") + r.pick("\n", " # c\n")
	}
	return name + r.pick("", ".x.y") + r.pick("", ":2", " slots=0", " max_slots=3") + "\n"
}

// set makes a Set of up to 4 hosts: lines for the head of a file, where hosts are
// in no section, and for its tail.
func (r source) set(number int) (head []string, tail string) {
	first := fmt.Sprintf("h%d-0", number)
	names, lines := []string{first}, []string{first + " slots=1\n"}
	for i := range r.IntN(4) {
		name := fmt.Sprintf("h%d-%d", number, i+1)
		names, lines = append(names, name), append(lines, r.host(name))
	}
	set := fmt.Sprintf("#@set s%d%s%s", number, r.pick("", " manager="+first), r.figures())
	switch r.IntN(3) {
	case 0:
		return nil, set + "\n" + strings.Join(lines, "")
	case 1:
		return lines, set + " nodes=" + strings.Join(names, ",") + "\n"
	default:
		return append(lines, "#@host "+first+r.pick(" speed=2", " memory=1B", " speed=1 memory=0", " share=x/y.txt", " speed=3 share=\"x y\"")+"\n"), ""
	}
}

// file makes a file of up to 4 Sets, whose hosts are mixed.
func (r source) file() string {
	var head []string
	tail := ""
	for number := range 1 + r.IntN(4) {
		lines, set := r.set(number)
		head, tail = append(head, lines...), tail+set
	}
	r.Shuffle(len(head), func(i, j int) { head[i], head[j] = head[j], head[i] })
	if strings.Contains(tail, "#@set s0") && strings.Contains(tail, "#@set s1") {
		tail += "#@link s1 s0" + r.pick("", " rate=3MB/s") + r.pick("", " latency=7us") + r.pick("", " share=z") + "\n"
	}
	return strings.Join(head, "") + tail + r.pick("", "#@platform barrier=0s\n", "#@platform barrier=12us\n")
}

func TestRandomFilesSurviveWriting(t *testing.T) {
	r := source{rand.New(rand.NewPCG(3, 4))}
	for range 5000 {
		text := r.file()
		f, err := Parse("h", strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		checkRoundTrip(t, Rules{}, f)
	}
}
