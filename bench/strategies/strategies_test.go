package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bench/internal/emulated"
	"github.com/migbsp/migbsp/bench/internal/frame"
	"github.com/migbsp/migbsp/internal/testrun"
	"github.com/migbsp/migbsp/ledger"
)

func TestWrongUse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-rounds 0", "-rounds 0: at least one is needed"},
		{"-only qr", "-only qr: no workload has that in its name"},
		{"-hosts none.hosts", "-hosts none.hosts: there is no such file here"},
		{"-hosts=", "-hosts: expected files of platforms"},
		{"more", `unexpected argument "more"`},
	} {
		var said strings.Builder
		if code := program.Run(strings.Fields(c.args), io.Discard, &said); code != 2 || !strings.Contains(said.String(), c.want) {
			t.Errorf("%s: code %d, %s", c.args, code, said.String())
		}
	}
}

// run is one that saved a part of its time on a platform where half of it could be saved.
func run(saved float64) emulated.Outcome {
	return emulated.Outcome{Emulation: ledger.Emulation{Without: 10, With: 10 * (1 - saved), Least: 5, Calls: 1, Moves: 0.5}}
}

// Scores are medians, and the summary is the mean of each strategy's.
func TestTables(t *testing.T) {
	session := frame.NewSession("", io.Discard)
	all := []score{
		scoreOf(session, "lu on a, off", "off", []emulated.Outcome{run(0), run(0), run(0)}),
		scoreOf(session, "lu on a, auto", "auto", []emulated.Outcome{run(0.4), run(-0.2), run(0.3)}),
		scoreOf(session, "lu on b, off", "off", []emulated.Outcome{run(0)}),
		scoreOf(session, "lu on b, auto", "auto", []emulated.Outcome{run(0.1)}),
	}
	rows := func(table frame.Table) (text string) {
		for _, row := range table.Rows {
			text += strings.Join(row, ";") + "\n"
		}
		return text
	}
	if got, want := rows(tableOf(emulated.Of("lu", "./apps/lu", "-n 9"), "x/a.hosts", all[:2])),
		"off;10 s;0.0%;50.0%;50.0%;10.0%;5.0%\nauto;7 s;30.0%;50.0%;20.0%;10.0%;5.0%\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := rows(summary([]string{"off", "auto"}, all)), "off;0.0%;0.0%;50.0%;10.0%\nauto;20.0%;10.0%;50.0%;10.0%\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestOneProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	c := testrun.Line(filepath.Join(testrun.Build(t, "", "./bench/strategies"), "strategies"),
		"-rounds 1 -only prefixsum -hosts examples/laptop.hosts -balance off;auto")
	c.Dir = testrun.Root(t)
	if out := c.Must(t); !strings.Contains(out, "prefixsum") {
		t.Errorf("it prints\n%s", out)
	}
}
