package programs

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/migbsp/migbsp/apps/fractal/picture"
	"github.com/migbsp/migbsp/bench/internal/emulated"
)

// program is one of the tree in two shapes: for speed, and for rescheduling on emulated
// platforms, with many processes and long enough for moves to pay.
type program struct {
	size       string // as tables say it
	fast       string // command line; @ is the directory with the input
	many       emulated.Workload
	input      func(dir string) error // makes the input files of fast; may be nil
	references []reference
}

// inputIn returns the arguments of a command line, with @ replaced by the directory.
func inputIn(dir, line string) []string {
	args := strings.Fields(line)
	for i, arg := range args {
		if file, found := strings.CutPrefix(arg, "@"); found {
			args[i] = dir + "/" + file
		}
	}
	return args
}

var programs = []program{
	{
		size: "2000 x 2000", fast: "-n 2000",
		many: emulated.Of("lu", "./apps/lu", "-n 1600 -procs 32 -grid 2x16 -panels spread"),
		references: []reference{
			{name: "OpenBLAS dgetrf", source: "plain/lu", args: "2000", needs: "libopenblas-dev"},
		},
	}, {
		size: "6000 x 6000", fast: "-query @query.fa -target @target.fa", input: writeSequences,
		many: emulated.Of("sw", "./apps/sw", "-n 60000 -procs 32"),
		references: []reference{
			{name: "C, row by row, the score only", source: "plain/sw", args: "@query.fa @target.fa", same: scoreOf},
			{name: "SSW library, the score only", source: "plain/ssw", args: "@query.fa @target.fa", same: scoreOf, needs: "libssw-dev"},
		},
	}, {
		size: "800 x 400, 200 steps", fast: "-n 800x400 -steps 200",
		many:       emulated.Of("lbm", "./apps/lbm", "-n 480x192 -steps 1200 -procs 32 -obstacle hills"),
		references: []reference{{name: "C, two copies of the cells", source: "plain/lbm", args: "800 400 200", same: speedOfSound}},
	}, {
		size: "192 x 192 x 192, 100 steps", fast: "-dim 3 -n 192 -steps 100",
		many:       emulated.Of("heat", "./apps/heat", "-dim 3 -n 128 -steps 200 -procs 32"),
		references: []reference{{name: "C, two copies of the cells", source: "plain/heat", args: "192 100"}},
	}, {
		size: "2^21, 10 times", fast: "-n 2^21",
		many: emulated.Of("fft", "./apps/fft", "-n 2^18 -procs 32 -iterations 60"),
		references: []reference{
			{name: "FFTW 3, measured plans", source: "plain/fftw", args: "21 10", needs: "libfftw3-dev"},
			{name: "C, the same passes", source: "plain/fft", args: "21 10"},
		},
	}, {
		size: "512 x 512, grey", fast: "-size 512 -chroma none", input: writeLandscape,
		many:       emulated.Of("fractal", "./apps/fractal", "-n 1024 -procs 32"),
		references: []reference{{name: "C, each pair of blocks", source: "plain/fractal", args: "@landscape.pgm"}},
	}, {
		size: "4000000", fast: "-n 4000000",
		many: emulated.Of("sort", "./apps/sort", "-n 1000000 -lists 12 -procs 32"),
		references: []reference{
			{name: "C, radix sort", source: "plain/sort", args: "radix 4000000", same: checksumOf},
			{name: "C library's qsort", source: "plain/sort", args: "qsort 4000000", same: checksumOf},
			{name: "Go's slices.Sort", source: "./bench/compare/programs/slicesort", args: "4000000", same: checksumOf},
		},
	}, {
		size: "order 1000000, 50 times", fast: "-n 1000000 -iterations 50",
		many:       emulated.Of("spmv", "./apps/spmv", "-n 250000 -procs 32 -iterations 600"),
		references: []reference{{name: "C, compressed rows", source: "plain/spmv", args: "1000000 50", same: checksumOf}},
	},
}

// writeSequences writes two sequences of amino acids. The second is the first with every fifth
// letter replaced.
func writeSequences(dir string) error {
	const letters, length = "ARNDCQEGHILKMFPSTWYV", 6000
	r := rand.New(rand.NewPCG(1, 0))
	sequence := make([]byte, length)
	for _, file := range []string{"query.fa", "target.fa"} {
		for i := range sequence {
			if sequence[i] == 0 || r.IntN(5) == 0 {
				sequence[i] = letters[r.IntN(len(letters))]
			}
		}
		text := fmt.Sprintf(">made\n%s\n", sequence)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// writeLandscape writes the picture of apps/fractal -size 512 -chroma none.
func writeLandscape(dir string) error {
	return writePGM(filepath.Join(dir, "landscape.pgm"), picture.Generate(512, 1).Grey())
}

// writePGM writes a grey picture.
func writePGM(path string, p *picture.Picture) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "P5 %d %d 255\n", p.Width, p.Height)
	w.Write(p.Pix)
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
