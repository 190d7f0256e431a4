package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/cli"
)

// All records below a directory are in its page and in its list; what is none is told.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	for _, program := range []string{"lu", "fft"} {
		if err := os.Rename(recorded(t, program), filepath.Join(dir, program)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "odd"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "odd", "run.jsonl"), []byte("odd\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	runs := func(args ...string) (int, string, string) {
		var o, e bytes.Buffer
		code := newTool().Run(context.Background(), cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e}, append([]string{"runs"}, args...))
		return code, o.String(), e.String()
	}
	code, out, problems := runs(dir, "-format", "text")
	if code != 0 || strings.Count(out, "\n") != 2 || !strings.Contains(out, filepath.Join(dir, "lu")+": 5 ms, ") || !strings.Contains(problems, "left out: ") {
		t.Errorf("text: code %d, %q, %q", code, out, problems)
	}
	code, out, _ = runs(dir)
	page, err := os.ReadFile(filepath.Join(dir, indexName))
	if code != 0 || err != nil || !strings.HasPrefix(out, filepath.Join(dir, indexName)+"\n2 runs") || !bytes.Contains(page, []byte("fft")) {
		t.Errorf("code %d, %v, %q", code, err, out)
	}
	for _, args := range [][]string{{filepath.Join(dir, "none")}, {t.TempDir()}, {dir, "-format", "text", "-o", "x"}} {
		if code, out, problems := runs(args...); code == 0 || out != "" || problems == "" {
			t.Errorf("%v: code %d, %q, %q", args, code, out, problems)
		}
	}
}
