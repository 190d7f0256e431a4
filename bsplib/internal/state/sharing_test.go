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
