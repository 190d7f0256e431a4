// Tally runs go test and says of it what a person wants to know: a line for each
// package and for each test that took long, all that failing tests print, and why tests
// were skipped.
//
//	tally -record FILE -strict -- -count=1 ./mpi
//
// To the file it appends a line for each test, of those with sub-tests only the latter:
// what became of it, a blank, and its name. scripts/test counts and shows them.
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

// long is from how many seconds on a test has a line of its own.
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
	t := tally{out: os.Stdout, strict: *strict, packages: make(map[string]*pkg)}
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

// event is what `go doc test2json` describes.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of what cannot be built
	Elapsed                       float64
}

// tally reads events. A test's output is kept until it is known whether it is wanted.
type tally struct {
	out      io.Writer
	strict   bool
	packages map[string]*pkg
	record   strings.Builder
	failures int
	skips    []skip
}

// pkg is a package whose tests run. Its own output has the name "".
type pkg struct {
	output                  map[string]*strings.Builder
	parents                 map[string]bool // tests that have sub-tests
	blamed                  map[string]bool // tests of which a sub-test has failed
	passed, failed, skipped int
}

// skip is a reason and how many tests were skipped for it.
type skip struct {
	reason string
	tests  int
}

func (t *tally) failed() bool { return t.failures > 0 }

func (t *tally) end(what, name string) {
	fmt.Fprintf(&t.record, "%s %s\n", what, name)
	if what == "failed" {
		t.failures++
	}
}

// run runs go test to its end, whatever becomes of the tests.
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
		t.end("failed", test.String()+": "+err.Error())
	}
	t.sayWhySkipped()
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
	if e.Action == "build-output" {
		fmt.Fprint(t.out, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := t.packages[e.Package]
	if p == nil {
		p = &pkg{output: make(map[string]*strings.Builder), parents: make(map[string]bool), blamed: make(map[string]bool)}
		t.packages[e.Package] = p
	}
	switch e.Action {
	case "run":
		if parent, ok := above(e.Test); ok {
			p.parents[parent] = true
		}
	case "output":
		if strings.HasPrefix(e.Output, "=== ") || e.Test == "" && strings.HasPrefix(e.Output, "FAIL") {
			return // it is said otherwise
		}
		if p.output[e.Test] == nil {
			p.output[e.Test] = new(strings.Builder)
		}
		p.output[e.Test].WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			t.endPackage(p, e)
		} else {
			t.endTest(p, e)
		}
	}
}

// above returns the test that a test is a sub-test of.
func above(test string) (parent string, ok bool) {
	slash := strings.LastIndexByte(test, '/')
	return test[:max(slash, 0)], slash >= 0
}

func (t *tally) endTest(p *pkg, e event) {
	text := p.take(e.Test)
	name := e.Package + " " + e.Test
	// A test whose sub-tests have ended so is no more than they are.
	counts := !p.parents[e.Test]
	switch {
	case e.Action == "fail" && !p.blamed[e.Test], e.Action == "skip" && counts && t.strict:
		fmt.Fprint(t.out, text)
		p.failed++
		t.end("failed", name)
		p.blame(e.Test)
	case e.Action == "fail":
		fmt.Fprint(t.out, text)
	case e.Action == "skip" && counts:
		p.skipped++
		t.end("skipped", name)
		t.because(text)
	case counts:
		p.passed++
		t.end("passed", name)
	}
	if e.Elapsed >= long {
		fmt.Fprintf(t.out, "     %7.1f s  %s\n", e.Elapsed, e.Test)
	}
}

// blame marks all tests that a test which has failed is a part of.
func (p *pkg) blame(test string) {
	for parent, ok := above(test); ok; parent, ok = above(parent) {
		p.blamed[parent] = true
	}
}

func (p *pkg) take(test string) string {
	text := p.output[test]
	delete(p.output, test)
	if text == nil {
		return ""
	}
	return text.String()
}

func (t *tally) endPackage(p *pkg, e event) {
	text, tests := p.take(""), p.passed+p.failed+p.skipped
	if e.Action == "skip" || tests == 0 && e.Action == "pass" && !t.strict {
		return // it has no tests, or none that were asked for
	}
	verdict := "ok"
	if e.Action == "fail" || p.failed > 0 || tests == 0 {
		verdict = "FAIL"
		if p.failed == 0 {
			p.failed++
			t.end("failed", e.Package)
		}
		// What a test that does not end has said, and what belongs to no test.
		for _, test := range slices.Sorted(maps.Keys(p.output)) {
			fmt.Fprint(t.out, p.take(test))
		}
		fmt.Fprint(t.out, text)
	}
	took := fmt.Sprintf("%.1f s", e.Elapsed)
	if strings.Contains(text, "\t(cached)") {
		took = "cached"
	}
	fmt.Fprintf(t.out, "%-4s %9s  %s: %d passed", verdict, took, e.Package, p.passed)
	for _, n := range []struct {
		tests int
		what  string
	}{{p.failed, "failed"}, {p.skipped, "skipped"}} {
		if n.tests > 0 {
			fmt.Fprintf(t.out, ", %d %s", n.tests, n.what)
		}
	}
	fmt.Fprintln(t.out)
}

// logged is a line that a test logs, with its place.
var logged = regexp.MustCompile(`(?m)^ +\S+\.go:\d+: (.*)$`)

// because notes the reason of a skip: what the test has logged last.
func (t *tally) because(output string) {
	reason := "no reason given"
	if all := logged.FindAllStringSubmatch(output, -1); len(all) > 0 && all[len(all)-1][1] != "" {
		reason = all[len(all)-1][1]
	}
	for i := range t.skips {
		if t.skips[i].reason == reason {
			t.skips[i].tests++
			return
		}
	}
	t.skips = append(t.skips, skip{reason, 1})
}

func (t *tally) sayWhySkipped() {
	for _, s := range t.skips {
		fmt.Fprintf(t.out, "skipped %d: %s\n", s.tests, s.reason)
	}
}
