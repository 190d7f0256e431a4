// Stagevet finds what the programs of migbsp lose when a process moves.
//
// Between two stages (for k := range b.Stages(n)) a process may go on
// elsewhere. Its function is entered anew there, with nothing but the state;
// stage loops that are finished yield nothing. A local variable that carries a
// value from one stage to the next works in every run in which nothing moves,
// and fails in the others. Stagevet names such variables. In
//
//	10	func program(b *bsplib.Proc, s *state) error {
//	11		total := 0
//	12		for k := range b.Stages(s.N) {
//	13			total += s.work(k)
//	14		}
//	15		return report(b, total)
//	16	}
//
// it finds
//
//	main.go:13:3: total is set in the stage loop at line 12 and read after it: a process that moved in between has lost it; make it a field of the state
//	main.go:15:19: 	read here
//
// Run it by itself (go run ./cmd/stagevet ./...), or let go vet run it, which may
// leave out the second line: go vet -vettool=$(which stagevet) ./...
//
// Other findings are variables that are set under b.Fresh() only, readings of the
// clock that are taken before stages and read after them, stages that only the
// first entry comes to, and calls that end all processes at once (os.Exit,
// log.Fatal) where an error should be returned. A comment with a reason silences what is found on its
// line or the next:
//
//	calls++ //stagevet:ok a figure for the log that may start anew
//
// -stages.tests looks at programs in _test.go files too, which are not loaded
// otherwise; -json prints findings as JSON. The exit code is 0 if nothing is found
// and every package loaded compiles.
package main
