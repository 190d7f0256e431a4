package state

import "testing"

type ring struct {
	Value int
	Next  *ring
	Name  string
}

// Two pointers to one object stay so; cycles work.
func TestPointerIdentity(t *testing.T) {
	type state struct {
		First, Again *ring
		Self         *state
		Number, Same *int
		Empty        *struct{}
		To           **ring
	}
	s := &state{Number: new(int), Empty: &struct{}{}}
	s.Self, s.Same = s, s.Number
	s.First = &ring{1, &ring{2, nil, "b"}, "a"}
	s.First.Next.Next = s.First
	s.Again = s.First.Next
	s.To = &s.Again.Next
	got := moveEqual(t, s)
	if got.Self != got || got.First.Next.Next != got.First || got.Again != got.First.Next || got.Number != got.Same || got.Number == s.Number {
		t.Errorf("%+v", got)
	}
	if got.Empty == nil || got.To != &got.Again.Next {
		t.Error("a pointer to a pointer was lost")
	}
}

// A list of many objects needs no deep recursion.
func TestLongList(t *testing.T) {
	var first *ring
	for i := range 200_000 {
		first = &ring{Value: i, Next: first}
	}
	got, n := *move(t, &first), 0
	for want := first; want != nil; want, got = want.Next, got.Next {
		if got == nil || want.Value != got.Value {
			t.Fatal("the list ends or differs at", n)
		}
		n++
	}
	if n != 200_000 || got != nil {
		t.Error("the list has another length")
	}
}

// Maps are shared like objects.
func TestMapIdentity(t *testing.T) {
	type names map[string]int
	type state struct {
		A, B map[string]int
		C    names
		In   map[string]map[string]int
	}
	m := map[string]int{"x": 1}
	got := moveEqual(t, &state{m, m, names(m), map[string]map[string]int{"m": m}})
	got.A["y"] = 2
	if len(got.B) != 2 || len(got.C) != 2 || len(got.In["m"]) != 2 {
		t.Errorf("%+v", got)
	}
}

type inner struct {
	X int
	S *string
}

type whole struct {
	Head  int
	In    inner
	Words [3]string
	Four  [4]*int
	Buf   [2000]float64
}

type pointing struct {
	X     *int    // into a field of the node, found before the node
	In    *inner  // a record in it
	Word  *string // an element of an array in it
	Some  []*int  // a slice of an array in it
	View  []float64
	Nodes []whole
	One   *whole
	Local [600]float64
	Mine  []float64
	Field *int
	Count int
	All   *[3]string
}

// Pointers to fields and elements lead there again.
func TestPointersIntoObjects(t *testing.T) {
	s := &pointing{Nodes: make([]whole, 3, 5), Count: 3}
	word := "w"
	n := &s.Nodes[1]
	n.In, n.Words, n.Four[2] = inner{7, &word}, [3]string{"a", "b", "c"}, &n.In.X
	n.Buf[10], s.Local[2] = 5, 6
	s.X, s.In, s.Word, s.Some, s.View, s.One = &n.In.X, &n.In, &n.Words[1], n.Four[1:3], n.Buf[8:20], n
	s.Mine, s.Field, s.All = s.Local[1:5], &s.Count, &n.Words
	got := moveEqual(t, s)
	m := &got.Nodes[1]
	same := map[string]bool{
		"X": got.X == &m.In.X, "In": got.In == &m.In, "Word": got.Word == &m.Words[1], "Some": &got.Some[0] == &m.Four[1],
		"View": &got.View[0] == &m.Buf[8], "One": got.One == m, "Mine": &got.Mine[0] == &got.Local[1],
		"Field": got.Field == &got.Count, "All": got.All == &m.Words, "cap": cap(got.Nodes) == 5, "Four": m.Four[2] == got.X,
	}
	for name, ok := range same {
		if !ok {
			t.Errorf("%s does not lead where it did", name)
		}
	}
}
