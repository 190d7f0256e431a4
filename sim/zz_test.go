package sim
import ("testing";"fmt";"os";"strconv";"math";"math/rand/v2";"slices";"github.com/migbsp/migbsp/rebalancer")
func TestZZN(t *testing.T) {
	kind,_:=strconv.Atoi(os.Getenv("K"))
	sd,_:=strconv.Atoi(os.Getenv("S")); seed:=uint64(sd)
	random := rand.New(rand.NewPCG(seed, uint64(kind)))
	hosts := 2 + random.IntN(6)
	p := fewHosts(t, hosts, random)
	h := &hostile{
		random: random, kind: kind, hosts: hosts, length: 100 + random.IntN(300), kept: math.Exp(10 + 7*random.Float64()),
		pick: []int{1 + random.IntN(30), 5 + random.IntN(60)},
	}
	if random.IntN(2) == 0 {
		h.bytes = 1e5 * random.Float64()
	}
	for pid := range hosts * (1 + random.IntN(5)) {
		h.home = append(h.home, int32(pid%hosts))
	}
	h.where = slices.Clone(h.home)
	spec, _ := rebalancer.Parse("auto")
	c := Config{Platform: p, Workload: h, Where: slices.Clone(h.home), Balance: spec}
	var recs []CallRecord
	var steps []int
	step:=0
	var real []float64
	Run(t.Context(), &c, Report{Step: func(s *StepRecord){step=s.Number; real=append(real,s.At)},Call: func(r *CallRecord) {
		for _, m := range r.Decision.Moves {
			h.where[m.Pid] = int32(m.To)
		}
		recs=append(recs,*r); steps=append(steps,step)
	}})
	c.Workload, c.Balance = replay{h}, rebalancer.Spec{}
	var cum []float64
	off,_:=Run(t.Context(), &c, Report{Step:func(s *StepRecord){cum=append(cum,s.At)}})
	cum=append(cum,off.Time)
	for i,r:=range recs { b:=r.Decision.Learned.Bank; at:=cum[steps[i]]
		fmt.Printf("step %3d t=%.3f true %.3f | saved %.3f most %.3f gain %.3f limit %.3f tries %d keep %v vis %.2f leap %.3f | moves %d trust %.2f before %.3f after %.3f cost %.4f took %.4f moved %.4f %s\n",steps[i],r.At,at-r.At,b.Saved,b.Most,b.Gain,b.Limit,b.Tries,b.Keep,b.Visible,b.Leap,len(r.Decision.Moves),r.Decision.Learned.Trust,r.Decision.Forecast.Before,r.Decision.Forecast.After,r.Decision.Forecast.Cost,r.Took,r.Moved,r.Decision.WhyNone)
	}
	fmt.Println(off.Time, "procs",len(h.where),"hosts",hosts,"steps",h.length)
	for i,hh:=range p.Hosts {fmt.Print(i," ",hh.Speed/1e9," ")}
}
