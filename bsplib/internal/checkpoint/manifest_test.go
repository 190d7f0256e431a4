package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// text is a manifest as it is written.
func text(t testing.TB) string {
	path, _ := made(t, t.TempDir(), "run")
	b, err := os.ReadFile(filepath.Join(path, manifestName))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestManifestsThatAreRefused(t *testing.T) {
	whole := text(t)
	for _, c := range []struct{ old, new, want string }{
		{"migbsp.checkpoint/1", "migbsp.checkpoint/2", `f:1:1: schema migbsp.checkpoint/2 of a newer migbsp, expected migbsp.checkpoint/1`},
		{"migbsp.checkpoint/1", "migbsp.run/1", `f:1:1: schema "migbsp.run/1", expected "migbsp.checkpoint/1"`},
		{`"procs": 4`, `"procs": 5`, "parts have 4 processes, expected 5"},
		{`"procs": 4`, `"procs": -4`, "procs is -4"},
		{`"procs": 4`, `"procs": "4"`, "f:14:13: procs is a string, expected a int"},
		{`"pid": 3`, `"pid": 0`, "process 0, expected each of 0 to 3 once"},
		{`"pid": 3`, `"pid": 4`, "process 4, expected each of 0 to 3 once"},
		{`"file": "rank-00000.part"`, `"file": "../x"`, `file is "../x", expected a name within the checkpoint`},
		{`"file": "rank-00000.part"`, `"file": "/etc/passwd"`, "expected a name within the checkpoint"},
		{`"file": "rank-00000.part"`, `"file": ""`, "expected a name within the checkpoint"},
		{`"file": "rank-00000.part"`, `"file": "rank-00001.part"`, "rank-00001.part is there twice"},
		{`"offset": 16`, `"offset": 17`, "process 3 is at 17"},
		{`"superstep": 7`, `"superstep": 0`, "superstep 0"},
		{`"stage": 2`, `"stage": -1`, "stage -1"},
		{`"elapsed": 0`, `"elapsed": -1`, "elapsed is -1"},
		{`"program": "program"`, `"program": ""`, `program is ""`},
		{`"number": 1`, `"number": 0`, "number 0"},
		{`"layout": "0000000000000000"`, `"layout": "x"`, `"x", expected 16 hexadecimal digits`},
		{`"superstep": 7,`, `"superstep": 7`, "f:19:2: invalid character"},
	} {
		if !strings.Contains(whole, c.old) {
			t.Fatalf("no %s in\n%s", c.old, whole)
		}
		_, err := parse("f", []byte(strings.Replace(whole, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), "f:") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
	for n := range len(whole) - 1 {
		if _, err := parse("f", []byte(whole[:n])); err == nil {
			t.Errorf("cut off after %d bytes, it is accepted", n)
		}
	}
}

// A reader passes over what later versions may add.
func TestManifestsWithMoreFields(t *testing.T) {
	if _, err := parse("f", []byte(strings.Replace(text(t), `"procs"`, `"later": {"a": [1]}, "procs"`, 1))); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	whole := text(f)
	f.Add([]byte(whole))
	f.Add([]byte(strings.ReplaceAll(whole, "16", "15")))
	for _, s := range []string{"", "{}", "[]", "null", `{"schema":"migbsp.checkpoint/1"}`, `{"schema":"migbsp.checkpoint/1","procs":1e9,"parts":[{}]}`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parse("f", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("an error without its place: %v", err)
			}
			return
		}
		found := 0
		for _, part := range m.Parts {
			for _, r := range part.Records {
				if r.Pid < 0 || r.Pid >= m.Procs || r.Offset < partHead || r.Offset+r.Bytes > part.Bytes || strings.ContainsRune(part.File, '/') {
					t.Fatalf("process %d: %+v", r.Pid, r)
				}
				found++
			}
		}
		if found != m.Procs {
			t.Fatalf("%d of %d processes", found, m.Procs)
		}
	})
}
