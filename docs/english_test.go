package docs_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// The English test counts patterns that are rare in the Go standard library and were frequent
// in this repository. Each room has a ceiling for its comments and one for its messages, each
// directory with pages one for its prose, all in matches per 1000 lines. The ceilings are in
// testdata/english.txt. They may only fall: the test fails if a rate exceeds its ceiling, and
// also if a rate is so far below that the ceiling no longer holds anything. Then
//
//	go test ./docs -run 'TestEnglish$' -lower
//
// lowers the ceilings to the present rates. It never raises one.

var lower = flag.Bool("lower", false, "lower the ceilings of the English test to the present rates")

const ceilingsFile = "testdata/english.txt"

// A pattern finds one habit of writing. The cure is a new sentence, not a synonym.
type pattern struct {
	name string
	expr *regexp.Regexp
	cure string
}

var patterns = []pattern{
	{"what", word(`what`), `name the thing: "the cost of a move"`},
	{"is-what", word(`(is|are|was|were) what`), `"X is the ..." or "Y does X"`},
	{"those-of", word(`(those|that) (of|which|for)`), `repeat the noun: "the ranks' times"`},
	{"of-which", word(`(of|in|by|to|from|with|at|on) (which|whom)`), `two sentences, or "whose", "where"`},
	{"nobody", word(`(nobody|nothing|somebody|nowhere|no one)`), `say which: "no rank", "no process"`},
	{"there-is", word(`there (is|are|was|were)`), `put the subject first`},
	{"tells", word(`(tells|told|says|said|knows|hears|heard)`), `code reports, returns, records`},
	{"one-that", word(`one (that|which)`), `repeat the noun`},
	{"this-one", word(`(this|that|the other) one`), `repeat the noun`},
	{"who", word(`who`), `only people are "who"; programs and ranks are "that"`},
	{"whatever", word(`(whatever|however|wherever|whichever|whoever)`), `"any", "regardless of", "but"`},
	{"bring", word(`(brings?|brought)`), `"send", "copy", "transfer", "yield"`},
	{"beside-anew", word(`(beside|anew|perhaps|thereby|thereof)`), `"next to", "again", "maybe"`},
	{"way-place", word(`(ways?|places?)`), `"path", "link", "method"; "rank", "position", "offset"`},
	{"have-do", word(`(have|has|had) (all|it|them|its|their|each|every|the \w+) (be|go|take|wait|learn|move|make|end)`), `"makes", "lets", or the actor as subject`},
	{"for-because", regexp.MustCompile(`, for (it|they|the|there|a|no|all|each|this|that)\b`), `"because"`},
	{"as-far-as", word(`as (far|long|many|much|often|few) as`), `"if", "while", "up to", a number`},
	{"is-to-be", word(`(is|are|was|were) to (be|have|go|do|leave|move)`), `"must", "will", or a verb`},
}

func word(expr string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b` + expr + `\b`) }

// prose is a set of lines written for people.
type prose struct {
	lines int
	found []match
}

// A match is a line that contains a pattern.
type match struct {
	at      string // file:line
	text    string
	pattern *pattern
}

func (p *prose) add(at, text string) {
	p.lines++
	for i := range patterns {
		if patterns[i].expr.MatchString(text) {
			p.found = append(p.found, match{at, text, &patterns[i]})
		}
	}
}

// rate returns the matches per 1000 lines, rounded up to a tenth.
func (p *prose) rate() float64 {
	return math.Ceil(10000*float64(len(p.found))/float64(max(1, p.lines))) / 10
}

// allowed returns the number of matches that a ceiling permits in the prose.
func (p *prose) allowed(ceiling float64) int {
	return int(math.Ceil(ceiling * float64(p.lines) / 1000))
}

// check compares the prose with a ceiling and returns "" or the complaint.
func (p *prose) check(ceiling float64) string {
	most := p.allowed(ceiling)
	if now := len(p.found); now < most*9/10-5 {
		return fmt.Sprintf("%d matches in %d lines, the ceiling allows %d: run go test ./docs -run 'TestEnglish$' -lower", now, p.lines, most)
	} else if now <= most {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d matches in %d lines, the ceiling of %.1f per 1000 allows %d. Rewrite the lines that you added; these are all:", len(p.found), p.lines, ceiling, most)
	for _, m := range p.found {
		fmt.Fprintf(&b, "\n  %s: %s\n    %s: %s", m.at, m.text, m.pattern.name, m.pattern.cure)
	}
	return b.String()
}

// code returns the comments and the messages of a Go source file. A message is a string literal
// of three words or more; tests have no messages.
func code(name string, src []byte, comments, messages *prose) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") {
				continue
			}
			for i, line := range strings.Split(c.Text, "\n") {
				if line = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "/*")); line != "" {
					comments.add(fmt.Sprintf("%s:%d", name, set.Position(c.Pos()).Line+i), line)
				}
			}
		}
	}
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil // encoding instructions, not prose
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind == token.STRING && err == nil && threeWords.MatchString(text) {
				for i, line := range strings.Split(text, "\n") {
					if line = strings.TrimSpace(line); line != "" {
						messages.add(fmt.Sprintf("%s:%d", name, set.Position(n.Pos()).Line+i), line)
					}
				}
			}
		}
		return true
	})
	return nil
}

var threeWords = regexp.MustCompile(`[A-Za-z]{2,}[,:]? +[A-Za-z]+[,:]? +[A-Za-z]{2,}`)

// page adds the prose of a page: text and tables, without code.
func page(name, text string, to *prose) {
	code := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
			continue
		}
		if !code && line != "" && !strings.HasPrefix(line, "<!--") {
			to.add(fmt.Sprintf("%s:%d", name, i+1), line)
		}
	}
}

// writing collects the prose of the repository. Its keys name a room or a directory and the kind
// of prose: "mpi comments", "mpi messages", "docs/guide pages".
func writing(t *testing.T) map[string]*prose {
	t.Helper()
	found := make(map[string]*prose)
	of := func(name, kind string) *prose {
		key := name + " " + kind
		if found[key] == nil {
			found[key] = new(prose)
		}
		return found[key]
	}
	all := rooms(t)
	for _, name := range files(t, "..", ".go") {
		where := path.Dir(name)
		if r, ok := roomOf(all, where); ok {
			where = r.name
		}
		src := must.Get(os.ReadFile(filepath.Join("..", name)))(t)
		must.Do(t, code(name, src, of(where, "comments"), of(where, "messages")))
	}
	for name, text := range markdown(t) {
		page(name, text, of(path.Dir(name), "pages"))
	}
	maps.DeleteFunc(found, func(_ string, p *prose) bool { return p.lines == 0 })
	return found
}

// cells returns the lines of a file of ceilings, each with its cells. # starts a comment.
func cells(text string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, "#")
			if fields := strings.Fields(line); len(fields) > 0 && !yield(line, fields) {
				return
			}
		}
	}
}

// ceilings parses the file of ceilings: a key and a rate in each line, # starts a comment.
func ceilings(text string) (map[string]float64, error) {
	all := make(map[string]float64)
	for line, fields := range cells(text) {
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: %q: want a directory, a kind and a rate", ceilingsFile, line)
		}
		rate, err := strconv.ParseFloat(fields[2], 64)
		if err != nil || rate < 0 {
			return nil, fmt.Errorf("%s: %q: want a rate of matches per 1000 lines", ceilingsFile, line)
		}
		all[fields[0]+" "+fields[1]] = rate
	}
	return all, nil
}

// lowered returns the text of a file of ceilings that are the present rates, or the old ceilings
// where these are lower. A key without a ceiling gets its present rate.
func lowered(found map[string]*prose, old map[string]float64) string {
	var b strings.Builder
	b.WriteString("# Ceilings of docs/english_test.go, in matches per 1000 lines. They may only fall:\n" +
		"# go test ./docs -run 'TestEnglish$' -lower\n")
	for _, key := range slices.Sorted(maps.Keys(found)) {
		rate := found[key].rate()
		if ceiling, ok := old[key]; ok {
			rate = min(rate, ceiling)
		}
		where, kind, _ := strings.Cut(key, " ")
		fmt.Fprintf(&b, "%-34s %-8s %6.1f\n", where, kind, rate)
	}
	return b.String()
}

// No room and no directory of pages exceeds its ceiling.
func TestEnglish(t *testing.T) {
	found := writing(t)
	old := must.Get(ceilings(string(must.Get(os.ReadFile(ceilingsFile))(t))))(t)
	if *lower {
		must.Do(t, os.WriteFile(ceilingsFile, []byte(lowered(found, old)), 0o644))
		return
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		ceiling, ok := old[key]
		if !ok {
			t.Errorf("%s has no ceiling in %s; a new room starts with -lower", key, ceilingsFile)
		} else if wrong := found[key].check(ceiling); wrong != "" {
			t.Errorf("%s: %s", key, wrong)
		}
	}
	for key := range old {
		if found[key] == nil {
			t.Errorf("%s: %s no longer exists; remove its line with -lower", ceilingsFile, key)
		}
	}
	if testing.Verbose() {
		compare(t, found)
	}
}

// compare logs the rates next to the Go standard library's, if its sources are installed.
func compare(t *testing.T, found map[string]*prose) {
	comments, messages := new(prose), new(prose)
	for _, pkg := range []string{"net/http", "runtime", "sync", "go/types", "database/sql", "encoding/json", "os/exec", "testing"} {
		names, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", pkg, "*.go"))
		for _, name := range names {
			src := must.Get(os.ReadFile(name))(t)
			must.Do(t, code(name, src, comments, messages))
		}
	}
	if comments.lines == 0 {
		t.Log("SKIPPED: the comparison with the standard library needs its sources in GOROOT")
		return
	}
	library := map[string]*prose{"comments": comments, "messages": messages, "pages": comments}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		_, kind, _ := strings.Cut(key, " ")
		rate := found[key].rate()
		t.Logf("%-44s %6d lines %7.1f per 1000 %6.1fx the library's", key, found[key].lines, rate, rate/library[kind].rate())
	}
}

// A rate above the ceiling fails, as does a ceiling far above the rate, and -lower raises none.
func TestEnglishCeilings(t *testing.T) {
	var comments, messages prose
	src := "package p\n\n// what it tells is nothing\nconst c = \"this is what nobody told\" // plain\n\n/*\n * A plan is a schedule.\n */\n\nvar s struct {\n\tX int `json:\"what was told here\"`\n}\n"
	must.Do(t, code("p.go", []byte(src), &comments, &messages))
	if comments.lines != 3 || len(comments.found) != 3 {
		t.Errorf("comments: %+v, want 3 lines and 3 matches", comments)
	}
	if messages.lines != 1 || len(messages.found) != 4 {
		t.Errorf("messages: %+v, want 1 line and 4 matches", messages)
	}
	var tests prose
	must.Do(t, code("p_test.go", []byte(src), new(prose), &tests))
	if tests.lines != 0 {
		t.Errorf("tests have messages: %+v", tests)
	}
	var text prose
	page("p.md", "# Title\n\nWho is told.\n```\nwhat\n```\n<!-- what -->\n", &text)
	if text.lines != 2 || len(text.found) != 2 {
		t.Errorf("page: %+v, want 2 lines and 2 matches", text)
	}

	many := &prose{lines: 1000, found: make([]match, 100)}
	for i := range many.found {
		many.found[i].pattern = &patterns[0]
	}
	for ceiling, ok := range map[float64]bool{99: false, 100: true, 116: true, 130: false} {
		if wrong := many.check(ceiling); (wrong == "") != ok {
			t.Errorf("100 matches in 1000 lines, ceiling %v: %q", ceiling, wrong)
		}
	}

	rewritten := must.Get(ceilings(lowered(map[string]*prose{"a comments": many, "b pages": many, "c pages": many}, map[string]float64{"a comments": 80, "b pages": 120, "d pages": 3})))(t)
	if want := map[string]float64{"a comments": 80, "b pages": 100, "c pages": 100}; !maps.Equal(rewritten, want) {
		t.Errorf("lowered ceilings are %v, want %v", rewritten, want)
	}
	for _, bad := range []string{"mpi comments", "mpi comments x", "mpi comments -1", "mpi 3"} {
		if _, err := ceilings(bad); err == nil {
			t.Errorf("%q is accepted as a ceiling", bad)
		}
	}
}
