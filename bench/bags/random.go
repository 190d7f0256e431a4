package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/sim"
)

// draw makes a platform of a master and 20 to 80 workers: speeds of 20 to 400 Mflop/s,
// lines of 0.1 to 100 MB/s and 1 to 200 ms, all equally likely on a scale of ratios.
func draw(session *frame.Session, seed uint64) (*sim.Platform, error) {
	random := rand.New(rand.NewPCG(seed, 90))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, random.Float64()) }
	var text strings.Builder
	text.WriteString(`<?xml version='1.0'?>
<platform version="4.1"><zone id="drawn" routing="Floyd"><router id="hub"/>
<link id="l0" bandwidth="1GBps" latency="0us" sharing_policy="FATPIPE"/>
<host id="master" speed="100Mf"/><route src="master" dst="hub"><link_ctn id="l0"/></route>
`)
	for k := range 20 + random.IntN(61) {
		fmt.Fprintf(&text, `<host id="w%d" speed="%gMf"/><link id="l%d" bandwidth="%gMBps" latency="%gms"/><route src="w%d" dst="hub"><link_ctn id="l%d"/></route>`+"\n",
			k, between(20, 400), k+1, between(0.1, 100), between(1, 200), k, k+1)
	}
	text.WriteString("</zone></platform>\n")
	file := filepath.Join(session.Dir, fmt.Sprintf("drawn-%d.xml", seed))
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		return nil, err
	}
	return sim.Read(file)
}

// sends are the ways in which a master sends.
var sends = []struct {
	name     string
	parallel bool
}{{"serial", false}, {"parallel", true}}

func platformsPart(ctx context.Context, s *settings, session *frame.Session) error {
	type kind struct{ tasks, mflop int }
	kinds := []kind{{1000, 100}, {1000, 1000}, {10000, 100}, {10000, 1000}, {100000, 100}}
	t := frame.Table{
		Part: "platforms", Title: fmt.Sprintf("Time over the bound on %d platforms drawn at random: the median, and the largest", s.drawn),
		Header: []string{"tasks", "Mflop", "sends"}, Text: []int{2},
	}
	t.Header = append(append(t.Header, titles(compared)...), "auto beside the best other: at most", "auto over the bound with sends: at most")
	for _, k := range kinds {
		for _, way := range sends {
			var cells []*cell
			for seed := range s.drawn {
				p, err := draw(session, uint64(seed)+1)
				if err != nil {
					return err
				}
				c, err := newCell(p, fmt.Sprintf("bag:n=%d,flops=%de6", k.tasks, k.mflop))
				if err != nil {
					return err
				}
				c.parallel = way.parallel
				cells = append(cells, c)
			}
			if err := runAll(ctx, cells); err != nil {
				return err
			}
			row := []string{fmt.Sprint(k.tasks), fmt.Sprint(k.mflop), way.name}
			for _, spec := range compared {
				all := frame.Each(cells, func(c *cell) float64 { return c.over(spec) })
				session.Record(fmt.Sprintf("%d tasks of %d Mflop, %s sends", k.tasks, k.mflop, way.name), spec, "times the bound", all...)
				row = append(row, spread(all))
			}
			lost, above := 0.0, 0.0
			for i, c := range cells {
				if os.Getenv("BAGS_DEBUG") != "" && (c.lost() > 0.005 || c.times["auto"]/c.sending > 1.03 && k.tasks >= 10000) {
					b, _ := c.best(c.others()...)
					fmt.Fprintf(os.Stderr, "  %v %s platform %d: lost %.4f to %s; over sending %.4f, sending/bound %.3f\n", k, way.name, i+1, c.lost(), b, c.times["auto"]/c.sending, c.sending/c.bound)
				}
				lost, above = max(lost, c.lost()), max(above, c.times["auto"]/c.sending)
			}
			t.Add(append(row, signed(lost), fmt.Sprintf("%.3f", above))...)
		}
	}
	session.Table(t)
	return nil
}

func titles(specs []string) (all []string) {
	for _, spec := range specs {
		all = append(all, title(spec))
	}
	return all
}

// spread is the median and the largest of some figures.
func spread(all []float64) string {
	most := 0.0
	for _, x := range all {
		most = max(most, x)
	}
	return fmt.Sprintf("%.2f, %.2f", frame.Median(all), most)
}

// signed is a part of a whole with its sign.
func signed(x float64) string { return fmt.Sprintf("%+.1f %%", 100*x) }
