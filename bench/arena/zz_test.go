package main
import ("testing";"fmt";"os";"strconv";"github.com/migbsp/migbsp/sim";"github.com/migbsp/migbsp/rebalancer")
func TestZZ(t *testing.T) {
	kind,on:=os.Getenv("K"),os.Getenv("P")
	seed,_:=strconv.Atoi(os.Getenv("S"))
	for k:=range kinds { for p:=range platforms { if kinds[k].name!=kind||platforms[p].name!=on {continue}
		e,_:=draw(k,p,uint64(seed))
		c:=e.config
		off,_:=sim.Run(t.Context(),&c,sim.Report{})
		// off cumulative
		var cum []float64
		sim.Run(t.Context(),&c,sim.Report{Step:func(s *sim.StepRecord){cum=append(cum,s.At)}})
		c.Balance,_=rebalancer.Parse(os.Getenv("B"))
		step:=0
		r,err:=sim.Run(t.Context(),&c,sim.Report{Step:func(s *sim.StepRecord){step=s.Number},Call:func(r *sim.CallRecord){
			b:=r.Decision.Learned.Bank
			at:=0.0; if step<len(cum){at=cum[step]}
			if b==nil {b=&rebalancer.Bank{}}
			fmt.Printf("step %3d t=%.3f true saved %.3f | bank saved %.3f most %.3f gain %.3f limit %.3f tries %d keep %v | moves %d trust %.2f before %.3f after %.3f cost %.4f/%d took %.4f moved %.4f %s\n",step,r.At,at-r.At,b.Saved,b.Most,b.Gain,b.Limit,b.Tries,b.Keep,len(r.Decision.Moves),r.Decision.Learned.Trust,r.Decision.Forecast.Before,r.Decision.Forecast.After,r.Decision.Forecast.Cost,r.Decision.Forecast.Horizon,r.Took,r.Moved,r.Decision.WhyNone)
		}})
		fmt.Println(off.Time,r,err,"procs",len(e.config.Where),"hosts",len(e.config.Platform.Hosts),"steps",e.config.Workload.Steps())
	}}
}
