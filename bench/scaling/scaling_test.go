package main

import (
	"io"
	"strings"
	"testing"
)

func TestWrongUse(t *testing.T) {
	for _, args := range []string{"-hosts 0", "-hosts 1,,2", "-hosts many", "-rounds 0", "-strong -1", "x"} {
		var said strings.Builder
		if code := measurement.Run(strings.Fields(args), io.Discard, &said); code != 2 || strings.Count(said.String(), "\n") != 1 {
			t.Errorf("%s: code %d, %s", args, code, said.String())
		}
	}
}

func TestPointsAreComparedWithTheFirst(t *testing.T) {
	rows := rows([]point{
		{hosts: 2, order: 10, grid: "1 x 2", seconds: 4, rate: 2e9},
		{hosts: 8, order: 20, grid: "2 x 4", seconds: 2, rate: 6e9, apart: -0.004},
	})
	if got, want := strings.Join(rows[0], ";"), "2;10;1 x 2;4 s;2;1.00;100 %;+0.0 %"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := strings.Join(rows[1], ";"), "8;20;2 x 4;2 s;6;3.00;75 %;-0.4 %"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A matrix is factored and simulated, from the directory of the module.
func TestRun(t *testing.T) {
	t.Chdir("../..")
	var out, said strings.Builder
	if code := measurement.Run(strings.Fields("-strong 200 -weak 0 -hosts 1,4 -rounds 1"), &out, &said); code != 0 {
		t.Fatalf("code %d: %s", code, said.String())
	}
	for _, text := range []string{"Strong scaling, order 200", "2 x 2", "efficiency"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("%q is missing in\n%s", text, out.String())
		}
	}
}
