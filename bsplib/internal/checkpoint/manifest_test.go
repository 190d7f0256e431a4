package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// text returns an encoded manifest.
func text(t testing.TB) string {
	path, _ := made(t, t.TempDir(), "run")
	return string(must.Get(os.ReadFile(filepath.Join(path, manifestName)))(t))
}

// forged returns whole with old replaced by new and the digest corrected.
func forged(whole, old, new string) []byte {
	return manifests.Stamp([]byte(strings.Replace(whole, old, new, 1)))
}

// A manifest with any flipped bit is refused.
func TestFlippedBits(t *testing.T) {
	whole := []byte(text(t))
	for bit := range 8 * len(whole) {
		whole[bit/8] ^= 1 << (bit % 8)
		if _, err := parse("f", whole); err == nil {
			t.Errorf("bit %d of byte %d, now %q, is another one, and it is accepted", bit%8, bit/8, whole[bit/8])
		}
		whole[bit/8] ^= 1 << (bit % 8)
	}
	must.Get(parse("f", whole))(t)
}

func TestManifestsThatAreRefused(t *testing.T) {
	whole := text(t)
	for _, c := range []struct{ old, new, want string }{
		{"migbsp.checkpoint/2", "migbsp.checkpoint/3", `f:1:1: schema migbsp.checkpoint/3 of a newer migbsp, expected migbsp.checkpoint/2`},
		{"migbsp.checkpoint/2", "migbsp.checkpoint/1", `f:1:1: schema migbsp.checkpoint/1 of an older migbsp, expected migbsp.checkpoint/2: go on with the version that wrote it, or begin anew`},
		{"migbsp.checkpoint/2", "migbsp.run/1", `f:1:1: schema "migbsp.run/1", expected "migbsp.checkpoint/2"`},
		{`"digest": "`, `"Digest": "`, `damaged: it does not begin with its schema and digest`},
		{`"procs": 4`, `"procs": 5`, "parts have 4 processes, expected 5"},
		{`"procs": 4`, `"procs": -4`, "procs is -4"},
		{`"procs": 4`, `"procs": "4"`, "f:15:13: procs is a string, expected a int"},
		{`"pid": 3`, `"pid": 0`, "process 0, expected each of 0 to 3 once"},
		{`"pid": 3`, `"pid": 4`, "process 4, expected each of 0 to 3 once"},
		{`"file": "rank-00000.part"`, `"file": "../x"`, `file is "../x", expected rank-00000.part`},
		{`"file": "rank-00000.part"`, `"file": "/etc/passwd"`, "expected rank-00000.part"},
		{`"file": "rank-00000.part"`, `"file": ""`, "expected rank-00000.part"},
		{"\"file\": \"rank-00000.part\",\n   \"rank\": 0", "\"file\": \"rank-00001.part\",\n   \"rank\": 1", "rank-00001.part is there twice"},
		{`"rank": 1`, `"rank": -1`, "rank is -1, expected 0 to 4"},
		{`"rank": 1`, `"rank": 999999999`, "rank is 999999999, expected 0 to 4"},
		{`"ranks": 5`, `"ranks": -5`, "ranks is -5"},
		{`"ranks": 5`, `"ranks": 1`, "rank is 1, expected 0 to 0"},
		{`"ranks": 5`, `"ranks": 999999999`, "ranks is 999999999"},
		{`"run": "run"`, `"run": "../../x"`, `run is "../../x", expected a name of letters, digits and . _ -`},
		{`"run": "run"`, `"run": ""`, `run is ""`},
		{`"run": "run"`, `"run": "` + strings.Repeat("x", 65) + `"`, `expected a name of`},
		{`"stage": 2`, `"stage": 999999999`, "stage is 999999999, expected 0 or more and fewer than the 7 supersteps"},
		{`"loop": 0`, `"loop": 9223372036854775807`, "loop is 9223372036854775807"},
		{`"superstep": 7`, `"superstep": 9223372036854775807`, "superstep is 9223372036854775807"},
		{`"elapsed": 0`, `"elapsed": 1e300`, "elapsed is 1e+300"},
		{`"number": 1`, `"number": 9223372036854775807`, "number is 9223372036854775807"},
		{`"written": "2027`, `"written": "0001`, "expected a time since 1970"},
		{`"program": "program"`, `"program": "a\u001b[2J"`, `program is "a\x1b[2J", expected text`},
		{`"name": "n"`, `"name": ""`, `parameter "", expected each name once`},
		{`"offset": 16`, `"offset": 17`, "process 3 is at 17"},
		{`"superstep": 7`, `"superstep": 0`, "superstep is 0"},
		{`"stage": 2`, `"stage": -1`, "stage is -1"},
		{`"elapsed": 0`, `"elapsed": -1`, "elapsed is -1"},
		{`"program": "program"`, `"program": ""`, `program is ""`},
		{`"number": 1`, `"number": 0`, "number is 0"},
		{`"layout": "0000000000000000"`, `"layout": "x"`, `"x", expected 16 hexadecimal digits`},
		{`"superstep": 7,`, `"superstep": 7`, "f:20:2: invalid character"},
	} {
		if !strings.Contains(whole, c.old) {
			t.Fatalf("no %s in\n%s", c.old, whole)
		}
		_, err := parse("f", forged(whole, c.old, c.new))
		if err == nil || !strings.HasPrefix(err.Error(), "f:") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
	for n := range len(whole) {
		if _, err := parse("f", []byte(whole[:n])); err == nil {
			t.Errorf("cut off after %d bytes, it is accepted", n)
		}
	}
}

// A reader ignores fields of later versions.
func TestManifestsWithMoreFields(t *testing.T) {
	must.Get(parse("f", forged(text(t), `"procs"`, `"later": {"a": [1]}, "procs"`)))(t)
}

func FuzzParse(f *testing.F) {
	whole := text(f)
	f.Add([]byte(whole))
	f.Add(forged(whole, "16", "15"))
	for _, s := range []string{"", "{}", "[]", "null", `{"schema":"migbsp.checkpoint/2"}`, `{"schema":"migbsp.checkpoint/2","procs":1e9,"parts":[{}]}`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = forged(string(text), "", "")
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
