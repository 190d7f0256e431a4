package main

import (
	"math"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/results"
)

// What perf script prints: of each sample a line, and its functions below.
const script = `bsp   100.000000: 
	ffffffff81 start_up ([kernel.kallsyms])

bsp   104.000000: 
	ffffffff81 _copy_to_iter ([kernel.kallsyms])
	ffffffff82 tcp_recvmsg ([kernel.kallsyms])
	    7f0001 readv (/usr/lib/libc.so.6)

bsp   104.500000: 
	ffffffff81 fdget ([kernel.kallsyms])
	ffffffff82 do_sys_poll ([kernel.kallsyms])

mpirun   105.000000: 
	ffffffff82 do_sys_poll ([kernel.kallsyms])

bsp   105.000000: 
	ffffffff81 tcp_ack ([kernel.kallsyms])
	ffffffff82 __x64_sys_writev ([kernel.kallsyms])

bsp   105.500000: 
	ffffffff81 skb_release_data ([kernel.kallsyms])
	ffffffff82 do_readv ([kernel.kallsyms])

bsp   106.000000: 
	    4a0001 runtime.memmove (/tmp/x/bsp)

bsp   106.500000: 
	    7f0001 [unknown] (/usr/lib/openmpi/mca_btl_tcp.so)

bsp   107.000000: 
	    4a0001 github.com/migbsp/migbsp/bsplib.(*Proc).Sync (/tmp/x/bsp)

bsp   107.500000: 
	ffffffff81 __schedule ([kernel.kallsyms])

bsp   109.000000: 
	ffffffff81 finish ([kernel.kallsyms])
`

func TestShares(t *testing.T) {
	all := readSamples(script)
	if len(all) != 11 || len(all[1].stack) != 3 || all[1].stack[2] != (function{"readv", "libc.so.6"}) || all[1].seconds != 104 {
		t.Fatalf("%d samples: %+v", len(all), all)
	}
	middle := steady(all, "bsp")
	if len(middle) != 8 {
		t.Fatalf("%d samples in the middle: %+v", len(middle), middle)
	}
	// One of each task.
	for i, part := range shares(middle) {
		if math.Abs(part-1./8) > 1e-12 {
			t.Errorf("%s: %g of the samples, want 1/8", tasks[i].name, part)
		}
	}
}

func TestTableOfProfiles(t *testing.T) {
	s, err := parsed("-transport", "tcp", "-profile", "halo_8KiB_put")
	if err != nil {
		t.Fatal(err)
	}
	p := &profiled{contender: &contender{name: "ours"}, row: results.Row{MedianUS: 40}, samples: 8, shares: shares(steady(readSamples(script), "bsp"))}
	text := written(t, (&turns{settings: s, procs: 2}).profileTable([]*profiled{p}))
	squeezed := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"Where the microseconds of halo_8KiB_put go: 2 processes on", "2 nodes of 1 rank", "kernel: receiving 5.00 12.5%",
		"the program itself 5.00 12.5%", "all 40.0 100.0%", "8 samples of all processes",
	} {
		if !strings.Contains(squeezed, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
