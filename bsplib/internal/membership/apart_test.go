package membership

import "testing"

// A part lists its lowest processes, regardless of the order of Add, and counts the others.
func TestParts(t *testing.T) {
	var all Parts
	for _, pid := range []int{7, 3, 9, 1, 8, 2} {
		all.Add(Part{Name: "a Sum of int", At: string(rune('a' + pid)), Rank: pid / 2, First: []int{pid}, Count: 1})
		all.Add(Part{Name: "a Sum of int", Digest: 1, First: []int{10 + pid}, Count: 1})
	}
	if len(all) != 2 || all[0].At != "b" || all[0].Rank != 0 {
		t.Fatalf("%+v", all)
	}
	if got, want := all[0].who(), "processes 1, 2, 3, 7 and 2 more are"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
