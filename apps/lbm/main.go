// Lbm simulates the flow of a fluid through a channel, round obstacles, by the lattice Boltzmann
// method, and checks the flow.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/apps/internal/lines"
	"github.com/migbsp/migbsp/apps/lbm/collide"
	"github.com/migbsp/migbsp/bsplib"
)

const about = `
Lbm computes how a fluid flows through a channel, by the lattice Boltzmann method with
two relaxation times: in two dimensions (D2Q9), or with -d3 in three (D3Q19). The ends of
the channel are joined, and so are front and back; below and above are walls. A force
keeps the fluid moving.

Each process has some of the layers between the walls. A superstep is a step in time:
processes compute their cells and give their outermost layers to their neighbours. Solid
cells cost nothing, so that -obstacle hills makes the lower processes' work less.

Mass is checked, which must stay, and without obstacles the profile of speeds at that
time, where the fluid was at rest at first. -png and -gif make pictures of the speed.`

var (
	size      = flag.String("n", "", "`LxH` cells of the channel, length and height, and in three dimensions LxHxB with the breadth (default 400x100, 96x48x32)")
	steps     = flag.Int("steps", 1000, "`number` of steps")
	three     = flag.Bool("d3", false, "three dimensions")
	around    = flag.String("obstacle", "cylinder", "`what` the fluid flows round: none, cylinder, sphere, hills, or a PNG file whose dark parts are solid")
	speed     = flag.Float64("speed", 0.1, "of the fluid in the middle of the channel, in cells per step")
	viscosity = flag.Float64("nu", 0.02, "viscosity, in cells squared per step")
	picture   = flag.String("png", "", "write a picture of the speed after the last step to this `file`")
	film      = flag.String("gif", "", "write a film of the speed to this `file`")
	frames    = flag.Int("frames", 40, "`number` of frames of the film")
)

// parameters is the values of the command line.
type parameters struct {
	length, height, breadth int // cells; a breadth of 0 is two dimensions
	steps, frames           int
	speed, viscosity        float64
	lattice                 *velocities
	obstacle                *obstacle // may be nil
	name                    string    // of the obstacle
	collide.Relaxation
	collision *collide.Collision
}

func main() {
	bsplib.Main(lbm, bsplib.Options{Description: about, CheckFlags: check, MemoryNeeded: memory, WorkNeeded: work})
}

func lbm(b *bsplib.Proc, s *state) error {
	p, err := ready()
	if err != nil {
		return err
	}
	s.run(b, p)
	return s.report(b, p)
}

// run sets the fluid up and lets it flow.
func (s *state) run(b *bsplib.Proc, p *parameters) {
	if b.Fresh() {
		s.setUp(b, p)
		b.Sync()
		s.Began = b.Time()
	}
	s.flow(b, p)
}

// input does not depend on the number of processes.
var input = sync.OnceValues(readInput)

func readInput() (*parameters, error) {
	p := &parameters{steps: *steps, speed: *speed, viscosity: *viscosity, name: *around}
	if *film != "" {
		p.frames = *frames
	}
	if err := p.readSize(*size, *three); err != nil {
		return nil, err
	}
	switch {
	case p.steps < 1:
		return nil, fmt.Errorf("-steps %d: at least one step is needed", p.steps)
	case !(p.speed > 0) || p.speed > 0.2:
		return nil, fmt.Errorf("-speed %g: expected a number above 0 and up to 0.2, with which the method is exact enough", p.speed)
	case !(p.viscosity >= 0.001) || p.viscosity > 1:
		return nil, fmt.Errorf("-nu %g: expected a number from 0.001 to 1", p.viscosity)
	}
	err := cmp.Or(p.checkPictures(), lines.Writable("-png", *picture), lines.Writable("-gif", *film))
	if err != nil {
		return nil, err
	}
	p.obstacle, err = p.obstacleOf(*around)
	return p, err
}

// checkPictures refuses impossible pictures.
func (p *parameters) checkPictures() error {
	switch {
	case *film == "":
		return flags.Unused("only -gif has use for it", "frames")
	case *frames < 1 || *frames > p.steps:
		return fmt.Errorf("-frames %d: expected a number from 1 to that of the steps, %d", *frames, p.steps)
	case max(p.length, p.height) > math.MaxUint16:
		return fmt.Errorf("-gif %s: a film can have %d x %d pixels at most, the channel has %d x %d cells",
			*film, math.MaxUint16, math.MaxUint16, p.length, p.height)
	}
	return nil
}

// work returns all cells in all steps, including solid cells.
func work(int) bsplib.Work {
	p, _ := input() // which check has found right
	perSecond := 6e7
	if p.breadth > 0 {
		perSecond = 3e7
	}
	cells := float64(p.length) * float64(p.height) * float64(max(1, p.breadth))
	return bsplib.Work{
		Amount: cells * float64(p.steps), Unit: "cell updates", PerSecond: perSecond,
		Supersteps: p.steps, Sent: float64(p.steps) * 2 * p.border(), Partners: func(pid int) []int { return []int{pid - 1, pid + 1} },
	}
}

// border returns the bytes from a process to a neighbour per step: the populations leaving a layer.
func (p *parameters) border() float64 {
	populations := 3
	if p.breadth > 0 {
		populations = 5
	}
	return 8 * float64(populations) * float64(p.length) * float64(max(1, p.breadth))
}

// ready completes the parameters, in time proportional to the number of layers: so it waits
// until it is known that the channel fits into memory.
var ready = sync.OnceValues(func() (*parameters, error) {
	p, err := input()
	if err == nil {
		p.push()
	}
	return p, err
})

// push chooses the force, and so the collision: by the speed that walls take, and the drag
// of an obstacle with a coefficient of 1.5.
func (p *parameters) push() {
	force := 8 * p.viscosity * p.speed / float64(p.height*p.height)
	if p.obstacle != nil {
		force += float64(0.75*p.speed*p.speed*float64(p.blocked())) / float64(p.length*p.height)
	}
	p.Relaxation = collide.Relax(p.viscosity, force)
	p.collision = collide.Of(p.lattice.weight, p.lattice.along, p.Relaxation)
}

// mostCells is the maximum number of cells in a channel.
const mostCells = 1 << 34

// readSize reads LxH or LxHxB.
func (p *parameters) readSize(text string, three bool) error {
	p.lattice, p.breadth = d2q9, 0
	wanted, like := 2, "400x100"
	if three {
		p.lattice, wanted, like = d3q19, 3, "96x48x32"
	}
	text = cmp.Or(text, like)
	var rest string
	numbers := []any{&p.length, &p.height, &p.breadth}[:wanted]
	format := strings.Repeat("%dx", wanted)
	if n, _ := fmt.Sscanf(text+" ", format[:len(format)-1]+"%s", append(numbers, &rest)...); n != wanted {
		return fmt.Errorf("-n %s: expected cells as in %s", text, like)
	}
	cells := 1.
	for _, n := range numbers {
		n := *n.(*int)
		if n < 1 {
			return fmt.Errorf("-n %s: the channel needs at least one cell in each direction", text)
		}
		cells *= float64(n)
	}
	if cells > mostCells {
		return fmt.Errorf("-n %s: these are more than %d cells", text, mostCells)
	}
	return nil
}

// read makes the parameters for a number of processes.
func read(procs int) (*parameters, error) {
	p, err := input()
	if err != nil {
		return nil, err
	}
	return p, p.fits(procs)
}

func (p *parameters) fits(procs int) error {
	if procs > p.height {
		return fmt.Errorf("%d processes are too many for the %d layers of the channel", procs, p.height)
	}
	return nil
}

func check(procs int) error {
	_, err := read(procs)
	return err
}

// memory returns the bytes of all processes: populations and pictures.
func memory(procs int) int64 {
	p, _ := read(procs) // which check has found right
	return p.memory(procs)
}

func (p *parameters) memory(procs int) int64 {
	d := shape{length: p.length, breadth: p.breadth}
	populations := 8 * float64(p.lattice.count()) * float64(p.height+4*procs) * float64(d.layer())
	pictures := float64(p.length) * float64(p.height) * float64(p.frames+2)
	return int64(min(populations+pictures, math.MaxInt64/2))
}
