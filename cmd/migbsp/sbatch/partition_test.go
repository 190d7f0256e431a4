package sbatch

import (
	"reflect"
	"strings"
	"testing"
)

func TestComponents(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Component
	}{
		{"fast", []Component{{Partition: "fast"}}},
		{"fast:2:32", []Component{{Partition: "fast", Nodes: 2, Tasks: 32}}},
		{"a,b-1:1:1", []Component{{Partition: "a"}, {Partition: "b-1", Nodes: 1, Tasks: 1}}},
	} {
		if got, err := ParseComponents(c.text); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v", c.text, got, err)
		}
	}
	for text, field := range map[string]string{
		"": "", "a,": "", "a:2": "a:2", "a:2:3:4": "a:2:3:4", "a:x:3": "a:x:3", "b,a:0:3": "a:0:3", "a:1:0": "a:1:0",
		"a:-1:3": "a:-1:3", "a b": "a b", "a\nb": "a\nb", ":1:1": ":1:1", "-a": "-a", "a:+1:1": "a:+1:1",
	} {
		_, err := ParseComponents(text)
		if want := quoted(field) + ", expected PARTITION or PARTITION:NODES:TASKS, several between commas"; err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParseComponents(f *testing.F) {
	for _, seed := range []string{"fast", "fast:2:32,slow:4:64", "a,b", ":", ",", "a:1:", "a:99999999999999999999:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := ParseComponents(text)
		if err != nil {
			return
		}
		if len(parts) != strings.Count(text, ",")+1 {
			t.Errorf("%q: %d components", text, len(parts))
		}
		for _, p := range parts {
			if p.Partition == "" || p.Nodes < 0 || p.Tasks < 0 || p.Nodes > most || (p.Nodes == 0) != (p.Tasks == 0) {
				t.Errorf("%q: %+v", text, p)
			}
		}
	})
}
