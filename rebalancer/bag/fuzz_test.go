package bag

import "testing"

// FuzzParse reads names of policies with any parameters. The text of a policy reads as the same.
func FuzzParse(f *testing.F) {
	for i := range definitions {
		f.Add(definitions[i].name)
		for _, p := range definitions[i].parameters {
			f.Add(definitions[i].name + "," + p.name + "=1")
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(spec.String())
		if err != nil || again.String() != spec.String() {
			t.Errorf("%q is %s, and again %s: %v", text, spec, again, err)
		}
	})
}
