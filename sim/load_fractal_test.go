package sim

import (
	"reflect"
	"strings"
	"testing"
)

func TestFractalByName(t *testing.T) {
	for text, want := range map[string]*Fractal{
		"fractal":                            {Size: 512, Block: 8, Domains: 4096, Procs: 16, Flops: 2},
		"fractal:n=100,p=5,colour=1,flops=1": {Size: 100, Block: 8, Domains: 169, Procs: 5, Colour: true, Flops: 1},
		"fractal:block=4,domains=1024":       {Size: 512, Block: 4, Domains: 1024, Procs: 16, Flops: 2},
	} {
		if got, err := ParseWorkload(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"fractal:n=16", "fractal:n=16,p=1,domains=5"} {
		if _, err := ParseWorkload(text); err == nil || !strings.Contains(err.Error(), "domains for 4 blocks") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// All ranges meet all domains, and each chunk goes once round but for the last step.
func TestFractalMeetsAll(t *testing.T) {
	f := &Fractal{Size: 52, Block: 4, Domains: 150, Colour: true, Procs: 7, Flops: 1}
	work, bytes, all := 0.0, 0.0, 0.0
	for k := range f.Steps() {
		s := Step{Work: make([]float64, f.Processes())}
		if err := f.Fill(k, &s); err != nil {
			t.Fatal(err)
		}
		for _, w := range s.Work {
			work += w
		}
		for _, m := range s.Messages {
			if s.Site == "compare" {
				bytes += m.Bytes
			}
		}
	}
	for pid := range f.Procs {
		all += f.bytes(pid)
	}
	// 13 x 13 ranges, and twice 7 x 7; 150 domains, and twice 150*49/169, rounded up.
	if want := float64(169*150+2*49*44) * 8 * 16; work != want {
		t.Errorf("work %g, want %g", work, want)
	}
	if bytes != all*6 {
		t.Errorf("%g bytes of chunks, of which %g are sent", all, bytes)
	}
}
