package apps

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// inputs are the input files of programs.
var inputs = map[string]string{
	"good.fa":  ">good\nACGTACGT\n",
	"bad.fa":   ">bad\nACGT\nAC1T\n",
	"none.png": "ACGT\n",
	"bad.mtx":  "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 5\n",
	"bad.txt":  "1\n2\nthree\n",
}

// Invalid input is rejected with a line and code 2, and no file is written. Each program's own checks
// are tested in its directory.
func refused(t *testing.T, bin string) {
	for _, c := range []struct{ line, want string }{
		{"sw -query good.fa -target bad.fa -out written", `bad.fa:3:3: .1. is not one of the letters`},
		{"lbm -obstacle none.png -png written", `none.png: the PNG file is cut off`},
		{"heat -n 40 -walls warm -png written", `walls warm: read "warm"; expected a temperature`},
		{"fractal -in none.png -out written", `none.png: the PNG file is cut off`},
		{"spmv -matrix bad.mtx", `bad.mtx:3:3: read "3"; expected a column from 1 to 2`},
		{"sort -in bad.txt -out written", `bad.txt:3:1: read "three"; expected a number`},
		{"bspbench -words 0", `n 0: expected a number from 1 to`},
		{"sort -n 10 -out none/written", `there is no directory none`},
		{"fft -in bad.txt -out written", `bad.txt:3:1: read "three"; expected a number`},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range inputs {
				must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
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

// Arguments that every program rejects end it with code 2 and one line that begins with the program's
// name; a file with several mistakes has a line for each.
func wrongUses(t *testing.T, bin string) {
	for _, name := range names(t, bin) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{"wrong.hosts": "a slots=x\nb\nc slots=-1\n", "wrong.toml": "procs = 'many'\nbogus = 1\n"} {
				must.Do(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666))
			}
			for arguments, lines := range map[string]int{
				"-bogus": 1, "-prcos 4": 1, "stray": 1, "-procs": 1, "-procs 0": 1, "-procs -4": 1, "-procs x": 1, "-procs 999999999999": 1,
				"-ranks 0": 1, "-ranks -1": 1, "-ranks 2 -hosts wrong.hosts": 1, "-hosts none": 1, "-hosts .": 1, "-hosts wrong.hosts": 2,
				"-balance luck": 1, "-balance auto,x=1": 1, "-balance": 1, "-sets a=b": 1, "-probe 9": 1, "-probe x": 1,
				"-restart auto": 1, "-restart none": 1, "-restart .": 1, "-checkpoint-every 5m": 1, "-checkpoint c -checkpoint-every x": 1,
				"-checkpoint c%t": 1, "-table chairs": 1, "-format xml": 1, "-format csv -table none": 1, "-color red": 1, "-quiet -format json": 1,
				"-quiet=maybe": 1, "-config none": 1, "-config wrong.toml": 2, "-config": 1, "-run-dir wrong.toml/x": 1,
			} {
				c := line(bin, name+" "+arguments, "")
				c.Dir = dir
				r := c.Run(t)
				all := strings.SplitAfter(strings.TrimSuffix(r.Err, "\n"), "\n")
				good := (r.Code == 2 || strings.HasPrefix(arguments, "-run-dir")) && r.Code != 0 && r.Out == "" && len(all) == lines
				for _, l := range all {
					good = good && strings.HasPrefix(l, name+": ")
				}
				if !good {
					t.Errorf("%s: code %d, want 2 and %d lines that begin with %s:\n%s%s", arguments, r.Code, lines, name, r.Out, r.Err)
				}
			}
			c := line(bin, name, "")
			c.Env = []string{"MIGBSP_PROCS=x"}
			if r := c.Run(t); r.Code != 2 || r.Err != name+": MIGBSP_PROCS=x: expected a whole number (see "+name+" -help)\n" {
				t.Errorf("a variable: %+v", r)
			}
		})
	}
}

// names returns the programs in a directory.
func names(t *testing.T, bin string) (all []string) {
	files, err := os.ReadDir(bin)
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, f := range files {
		all = append(all, f.Name())
	}
	return all
}

// The output of -print-config is valid as a configuration file, and gives the same configuration. It
// contains no number for settings that the program chooses. The main size of each program is -n; in
// prefixsum that is the number of processes.
func configured(t *testing.T, bin string) {
	row := regexp.MustCompile(`(?m)^ (\S+) +(\S*) +(\S+)$`)
	for _, name := range names(t, bin) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			print := func(arguments string) (settings map[string]string) {
				settings = map[string]string{}
				defer delete(settings, "setting") // the head of the table
				for _, s := range row.FindAllStringSubmatch(line(bin, name+" -print-config "+arguments, "").Must(t), -1) {
					settings[s[1]] = s[2]
				}
				return settings
			}
			first := print("")
			_, sized := first["n"]
			if first["procs"] != "auto" || first["ranks"] != "auto" || sized != (name != "prefixsum" && name != "load") {
				t.Errorf("settings %v", first)
			}
			help := line(bin, name+" -help", "").Must(t)
			text := "[" + name + "]\n"
			for setting, value := range first {
				about, _, _ := strings.Cut(help[strings.Index(help, "\n  -"+setting+" ")+1:], "\n  -")
				if value == "0" && strings.Contains(about, "(default:") {
					t.Errorf("%s = 0 stands for what the program chooses:\n%s", setting, about)
				}
				if setting != "config" {
					text += setting + " = '" + value + "'\n"
				}
			}
			file := filepath.Join(t.TempDir(), "f")
			must.Do(t, os.WriteFile(file, []byte(text), 0o666))
			again := print("-config " + file)
			for setting, value := range first {
				if setting != "config" && again[setting] != value {
					t.Errorf("%s = %s becomes %s", setting, value, again[setting])
				}
			}
		})
	}
}

// A long run first prints the amount of work, for each option that makes it long.
func long(t *testing.T, bin string) {
	for _, words := range []string{
		"lu -n 10000", "fft -n 2^16 -iterations 100000", "sort -n 1000 -lists 100000000", "spmv -n 1000 -iterations 100000000",
		"spmv -n 2000 -density 0.5 -iterations 1000000", "sw -n 300 -procs 4 -density 1e9:1e11", "sw -n 400000", "lbm -n 100x50 -steps 10000000",
		"lbm -d3 -n 40x20x20 -steps 1000000", "fractal -n 1024 -block 4", "bspbench -n 100000 -repeats 100000",
	} {
		t.Run(words, func(t *testing.T) {
			command := line(bin, words, "-ranks 1 -table none")
			run := exec.Command(command.Words[0], command.Words[1:]...)
			run.Dir = t.TempDir()
			said, err := run.StderrPipe()
			if err == nil {
				err = run.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			first, _ := bufio.NewReader(said).ReadString('\n')
			run.Process.Signal(os.Interrupt)
			io.Copy(io.Discard, said)
			run.Wait()
			if !regexp.MustCompile(`^[a-z]+: \S+ [a-z ]+ are to be done: roughly \S+ [a-z]+ on 1 rank; Ctrl-C ends it\n$`).MatchString(first) {
				t.Errorf("it begins with %q", first)
			}
		})
	}
}
