package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/apps/internal/flags"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/rebalancer/bag"
)

var (
	tasks    = flag.Int("n", 1000, "`number` of tasks that are functions of this program")
	_        = flags.Alias("tasks", "n")
	size     = flag.Float64("size", 5e5, "`flop` of such a task")
	spread   = flag.String("spread", "equal", "`way` in which they differ: "+strings.Join(spreads, ", "))
	seed     = flag.Uint64("seed", 1, "of that")
	zoomed   = flag.String("mandelbrot", "", "tasks are rows of `WxH` points of the Mandelbrot set instead")
	frames   = flag.Int("frames", 1, "`number` of such images, each a part of the one before")
	pictures = flag.String("png", "", "write them to this `file`, of several NAME-000.png and so on")

	policies = flag.String("policy", "auto", "`name[,key=value...]` of the policy, all to compare, help for a list")
	works    = flag.String("master", "works", "rank 0 works beside giving tasks to others, or only gives")
	managers = flag.Bool("managers", false, "a rank of each Set draws chunks for it and gives them to the others")
	retries  = flag.Int("retries", 2, "try a task that fails `this` often again")

	items   = flag.String("args", "", "read what the commands are run with from this `file`, a line each, instead of standard input")
	timeout = flag.Duration("timeout", 0, "end a command after this `time` (default: never)")
	most    = flag.Int("max-output", 64, "end a command that writes more than this many `MiB`")

	journaled = flag.String("journal", "", "append results to this `file` as they come, for -resume")
	resumed   = flag.Bool("resume", false, "go on with the bag of -journal: what is done there is not computed again")
)

// options is the flags that other ranks need too.
type options struct {
	specs    []bag.Spec
	works    bool
	managers bool
	retries  int
}

const help = "help"

// readOptions reads the flags that do not concern the tasks themselves.
func readOptions() (o options, err error) {
	o = options{works: *works == "works", managers: *managers, retries: *retries}
	switch {
	case *works != "works" && *works != "gives":
		return o, fmt.Errorf("-master %s: expected works or gives", *works)
	case *retries < 0:
		return o, fmt.Errorf("-retries %d: expected 0 or more", *retries)
	case *resumed && *journaled == "":
		return o, errors.New("-resume: -journal says from which file")
	}
	if *policies == "all" {
		if *journaled != "" {
			return o, errors.New("-journal: with -policy all the same tasks are computed by each policy")
		}
		o.specs = bag.All()
		return o, nil
	}
	spec, err := bag.Parse(*policies)
	if err != nil {
		return o, fmt.Errorf("-policy: %w", err)
	}
	o.specs = []bag.Spec{spec}
	return o, nil
}

// functionFlags and commandFlags are for tasks of one kind only.
var (
	functionFlags = []string{"n", "tasks", "size", "spread", "seed", "mandelbrot", "frames", "png"}
	commandFlags  = []string{"args", "timeout", "max-output"}
)

// readJob reads the kind of tasks, but not yet the inputs of commands.
func readJob(words []string) (*job, error) {
	j := &job{Tasks: *tasks}
	j.Command, _ = split(words)
	if len(words) > 0 {
		if at := len(os.Args) - len(words) - 1; os.Args[at] != "--" {
			return nil, fmt.Errorf("unexpected argument %q; a command stands after --", words[0])
		}
		if len(j.Command) == 0 {
			return nil, fmt.Errorf("%s: expected a command before it", separator)
		}
		if *most < 1 || *most > 1<<20 {
			return nil, fmt.Errorf("-max-output %d: expected a number from 1 to %d", *most, 1<<20)
		}
		if *timeout < 0 {
			return nil, fmt.Errorf("-timeout %v: expected a time above 0", *timeout)
		}
		j.Limits = limits{Time: *timeout, Output: *most << 20}
		return j, flags.Unused("the tasks are commands", functionFlags...)
	}
	if err := flags.Unused("the tasks are functions of this program; a command stands after --", commandFlags...); err != nil {
		return nil, err
	}
	if *zoomed != "" {
		return readZoom(j)
	}
	switch {
	case *tasks < 1:
		return nil, fmt.Errorf("-n %d: at least one task is needed", *tasks)
	case !(*size >= 0 && *size <= 1e15):
		return nil, fmt.Errorf("-size %g: expected a number from 0 to 1e15", *size)
	case !slices.Contains(spreads, *spread):
		return nil, fmt.Errorf("-spread %s: expected one of %s", *spread, strings.Join(spreads, ", "))
	}
	if err := flags.Unused("only images have use for it, see -mandelbrot", "frames", "png"); err != nil {
		return nil, err
	}
	j.Spin = &spin{Size: *size, Spread: *spread, Seed: *seed}
	return j, nil
}

func readZoom(j *job) (*job, error) {
	z := &zoom{Frames: *frames, Iterations: 5000}
	var rest string
	if n, _ := fmt.Sscanf(*zoomed+" ", "%dx%d%s", &z.Width, &z.Height, &rest); n != 2 || z.Width < 1 || z.Height < 1 || z.Width > 1<<14 || z.Height > 1<<14 {
		return nil, fmt.Errorf("-mandelbrot %s: it is width x height, like 640x480, of at most %d each", *zoomed, 1<<14)
	}
	if z.Frames < 1 || z.Frames > 100 {
		return nil, fmt.Errorf("-frames %d: expected a number from 1 to 100", z.Frames)
	}
	if *pictures != "" && !strings.HasSuffix(*pictures, ".png") {
		return nil, fmt.Errorf("-png %s: expected a name that ends in .png", *pictures)
	}
	j.Zoom, j.Tasks = z, z.Frames*z.Height
	return j, flags.Unused("the tasks are rows of images", "n", "tasks", "size", "spread", "seed")
}

// separator separates a command from its inputs.
const separator = ":::"

// split divides the words after the flags.
func split(words []string) (command, inputs []string) {
	if at := slices.Index(words, separator); at >= 0 {
		return words[:at], words[at+1:]
	}
	return words, nil
}

// readInputs reads the inputs of the commands: the words after :::, or the lines of a file
// or of standard input.
func readInputs(words []string) ([]string, error) {
	if slices.Contains(words, separator) {
		if *items != "" {
			return nil, fmt.Errorf("-args %s: what the commands are run with stands after %s", *items, separator)
		}
		_, inputs := split(words)
		return inputs, nil
	}
	if *items == "" {
		return readLines(os.Stdin, "standard input")
	}
	f, err := os.Open(*items)
	if err != nil {
		return nil, fmt.Errorf("-args %s: %w", *items, settings.OfFile(*items, err))
	}
	defer f.Close()
	return readLines(f, *items)
}

// longestLine bounds the length of a line, in bytes: about the limit on a word of a command line.
const longestLine = 128 << 10

func readLines(r io.Reader, name string) (all []string, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 4096), longestLine)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "\x00") {
			return nil, fmt.Errorf("%s:%d: the line has a zero byte, which no command can be run with", name, len(all)+1)
		}
		all = append(all, lines.Text())
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: the line is longer than %d bytes", name, len(all)+1, longestLine)
	}
	return all, lines.Err()
}

// progressEvery is the time between two progress lines.
const progressEvery = 2 * time.Second
