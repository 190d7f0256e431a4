// Tally runs go test and reports in short: a line for each package and for each test that
// took long, the whole output of failing tests, and the reasons of skipped tests.
//
//	tally -record FILE -strict -- -count=1 ./mpi
//
// To the file it appends a line for each test without sub-tests: its result, a blank, and
// its name. scripts/test counts and shows them.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// long is the least number of seconds of a test that has its own line.
const long = 5

func main() {
	record := flag.String("record", os.DevNull, "append what became of each test to this `file`")
	strict := flag.Bool("strict", false, "a test that is skipped has failed, and so has a package without tests to run")
	flag.Parse()
	file, err := os.OpenFile(*record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		fatal(err)
	}
	test := exec.Command("go", append([]string{"test", "-json"}, flag.Args()...)...)
	test.Stderr = os.Stderr
	t := newTally(os.Stdout, *strict)
	if err := t.run(test); err != nil {
		fatal(err)
	}
	fmt.Fprint(file, t.record.String())
	if err := file.Close(); err != nil {
		fatal(err)
	}
	if t.failed() {
		os.Exit(1)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "tally:", err)
	os.Exit(1)
}

// event is the object that `go doc test2json` describes.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of a package that cannot be built
	Elapsed                       float64
}

// tally reads events. Its keys are the package and the name of a test with a blank between,
// or the package with an empty name. Output of a test is kept until its result shows
// whether it is printed.
type tally struct {
	out      io.Writer
	strict   bool
	texts    map[string]string
	parents  map[string]bool           // tests that have sub-tests
	blamed   map[string]bool           // tests with a failed sub-test
	counts   map[string]map[string]int // numbers of a package's tests, by result
	record   strings.Builder
	failures int
	reasons  []string // of tests that were skipped, each once, in their order
	skipped  map[string]int
}

func newTally(out io.Writer, strict bool) *tally {
	return &tally{
		out: out, strict: strict, texts: make(map[string]string), parents: make(map[string]bool), blamed: make(map[string]bool),
		counts: make(map[string]map[string]int), skipped: make(map[string]int),
	}
}

func (t *tally) failed() bool { return t.failures > 0 }

// end counts a test, or another failure.
func (t *tally) end(pkg, what, name string) {
	fmt.Fprintf(&t.record, "%s %s\n", what, name)
	if what == "failed" {
		t.failures++
	}
	if t.counts[pkg] == nil {
		t.counts[pkg] = make(map[string]int)
	}
	t.counts[pkg][what]++
}

// run runs go test to its end, regardless of failing tests.
func (t *tally) run(test *exec.Cmd) error {
	stream, err := test.StdoutPipe()
	if err != nil {
		return err
	}
	if err := test.Start(); err != nil {
		return err
	}
	t.read(stream)
	// A failure that belongs to no package is one of the command line.
	if err := test.Wait(); err != nil && !t.failed() {
		t.end("", "failed", test.String()+": "+err.Error())
	}
	for _, reason := range t.reasons {
		fmt.Fprintf(t.out, "skipped %d: %s\n", t.skipped[reason], reason)
	}
	return nil
}

func (t *tally) read(stream io.Reader) {
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			t.add(e)
		} else {
			t.out.Write(line)
		}
		if err != nil {
			return
		}
	}
}

func (t *tally) add(e event) {
	name := e.Package + " " + e.Test
	switch {
	case e.Action == "build-output":
		fmt.Fprint(t.out, e.Output)
	case e.Package == "":
	case e.Action == "run":
		t.parents[above(name)] = true
	case e.Action == "output":
		// The tally reports the rest in its own words.
		if !strings.HasPrefix(e.Output, "=== ") && (e.Test != "" || !strings.HasPrefix(e.Output, "FAIL")) {
			t.texts[name] += e.Output
		}
	case e.Action != "pass" && e.Action != "fail" && e.Action != "skip":
	case e.Test == "":
		t.endPackage(e, name)
	default:
		t.endTest(e, name)
	}
}

// above is the test that a test is a sub-test of, "" if it is none.
func above(name string) string {
	pkg, test, _ := strings.Cut(name, " ")
	slash := strings.LastIndexByte(test, '/')
	if slash < 0 {
		return ""
	}
	return pkg + " " + test[:slash]
}

func (t *tally) take(name string) (text string) {
	text = t.texts[name]
	delete(t.texts, name)
	return text
}

func (t *tally) endTest(e event, name string) {
	text := t.take(name)
	// A test whose sub-tests have ended so is no more than they are.
	counts := !t.parents[name]
	if e.Action == "fail" || e.Action == "skip" && counts && t.strict {
		fmt.Fprint(t.out, text)
		if !t.blamed[name] {
			t.end(e.Package, "failed", name)
		}
		for parent := above(name); parent != ""; parent = above(parent) {
			t.blamed[parent] = true
		}
	} else if counts && e.Action == "skip" {
		t.end(e.Package, "skipped", name)
		t.because(text)
	} else if counts {
		t.end(e.Package, "passed", name)
	}
	if e.Elapsed >= long {
		fmt.Fprintf(t.out, "     %7.1f s  %s\n", e.Elapsed, e.Test)
	}
}

func (t *tally) endPackage(e event, name string) {
	text, n := t.take(name), t.counts[e.Package]
	if e.Action == "skip" || len(n) == 0 && e.Action == "pass" && !t.strict {
		return // it has no tests, or none that were asked for
	}
	verdict := "ok"
	if e.Action == "fail" || n["failed"] > 0 || len(n) == 0 {
		verdict = "FAIL"
		if n["failed"] == 0 {
			t.end(e.Package, "failed", e.Package)
			n = t.counts[e.Package]
		}
		// Output of tests without an end, and output that belongs to no test.
		for _, test := range slices.Sorted(maps.Keys(t.texts)) {
			if strings.HasPrefix(test, name) {
				fmt.Fprint(t.out, t.take(test))
			}
		}
		fmt.Fprint(t.out, text)
	}
	took := fmt.Sprintf("%.1f s", e.Elapsed)
	if strings.Contains(text, "\t(cached)") {
		took = "cached"
	}
	fmt.Fprintf(t.out, "%-4s %9s  %s: %d passed", verdict, took, e.Package, n["passed"])
	for _, what := range []string{"failed", "skipped"} {
		if n[what] > 0 {
			fmt.Fprintf(t.out, ", %d %s", n[what], what)
		}
	}
	fmt.Fprintln(t.out)
}

// logged matches a line that a test logs, with its file and line.
var logged = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: (.*)$`)

// because notes the reason of a skip: the last line that the test has logged.
func (t *tally) because(output string) {
	reason := "no reason given"
	if all := logged.FindAllStringSubmatch(output, -1); len(all) > 0 && all[len(all)-1][1] != "" {
		reason = all[len(all)-1][1]
	}
	if t.skipped[reason]++; t.skipped[reason] == 1 {
		t.reasons = append(t.reasons, reason)
	}
}
