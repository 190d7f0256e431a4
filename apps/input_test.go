package apps

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inputs are the files that programs are asked to read.
var inputs = map[string]string{
	"good.fa":     ">good\nACGTACGT\n",
	"bad.fa":      ">bad\nACGT\nAC1T\n",
	"nameless.fa": "ACGT\n",
	"none.png":    "ACGT\n",
	"empty.fa":    ">empty\n",
	"bad.mtx":     "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 5\n",
	"head.mtx":    "%%MatrixMarket matrix coordinate real general\n9999999 9999999 99999999\n1 3 5\n",
	"array.mtx":   "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
	"bad.txt":     "1\n2\nthree\n",
}

// Input that cannot be is refused with a line and code 2, and no file is written.
func refused(t *testing.T, bin string) {
	for _, c := range []struct{ line, want string }{
		{"sw -query good.fa -target bad.fa -out written", `bad.fa:3:3: .1. is not one of the letters`},
		{"sw -query nameless.fa -target good.fa -out written", `nameless.fa:1: expected a line that begins with >`},
		{"sw -query none.fa -target good.fa -out written", `none.fa: no such file`},
		{"sw -query good.fa -target good.fa -procs 9 -out written", `9 processes are too many for the 8 letters`},
		{"sw -query good.fa -target empty.fa -out written", `empty.fa:1: sequence "empty" has no letters`},
		{"sw -open -50 -out written", `open -50: expected a number from 0 to 100`},
		{"sw -match 3 -out written", `match 3: only -matrix dna has use for it`},
		{"sw -query good.fa -target good.fa -n 5 -out written", `n 5: the sequences are those of`},
		{"lbm -obstacle none.png -png written", `none.png: the PNG file is cut off`},
		{"lbm -n 70000x4 -gif written", `a film can have 65535 x 65535 pixels`},
		{"lbm -frames 40 -png written", `frames 40: only -gif has use for it`},
		{"lbm -n 40x20 -procs 30 -png written", `30 processes are too many for the 20 layers`},
		{"heat -n 40 -grid 3x2 -procs 4 -png written", `3x2 has 6 processes, but 4 run`},
		{"heat -n 40 -walls warm -png written", `walls warm: read "warm"; expected a temperature`},
		{"heat -n 4 -procs 7 -png written", `7 processes are too many`},
		{"heat -png none/written", `there is no directory none`},
		{"fractal -in none.png -out written", `none.png: the PNG file is cut off`},
		{"fractal -procs 100000 -size 64 -out written", `there is work for at most as many processes`},
		{"fractal -decode none.png -domains 9 -out written", `domains 9: the file of -decode says it itself`},
		{"spmv -matrix bad.mtx", `bad.mtx:3:3: read "3"; expected a column from 1 to 2`},
		{"spmv -matrix head.mtx", `head.mtx:2:17: read "99999999"; expected at most`},
		{"spmv -matrix array.mtx", `array.mtx:1:23: read "array"; expected coordinate`},
		{"spmv -matrix bad.mtx -n 5", `n 5: the matrix is that of -matrix`},
		{"spmv -procs 4 -grid 2x3", `2x3: 4 processes run; expected a grid of as many`},
		{"sort -in bad.txt -out written", `bad.txt:3:1: read "three"; expected a number`},
		{"sort -in bad.txt -n 9 -out written", `n 9: the numbers are those of -in`},
		{"bspbench -words 0", `words 0: expected a number from 1 to`},
		{"sort -n 10 -out none/written", `there is no directory none`},
		{"fft -in bad.txt -out written", `bad.txt:3:1: read "three"; expected a number`},
		{"fft -n 1000 -out written", `expected a power of two up to`},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range inputs {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			command := line(bin, c.line, "")
			command.Dir = dir
			r := command.Run(t)
			if text := r.Out + r.Err; r.Code != 2 || !regexp.MustCompile(c.want).MatchString(text) || strings.Count(text, "\n") != 1 {
				t.Errorf("code %d, want 2 and a line with %q:\n%s", r.Code, c.want, text)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != len(inputs) {
				t.Errorf("files of the directory: %v, %v", left, err)
			}
		})
	}
}
