package bsplib_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/calls"
	"github.com/migbsp/migbsp/rebalancer"
)

// slowWrite is the duration of each of the first two writes to a slowFile.
const slowWrite = time.Second

// slowFile is a file on a disk or a link that is much slower than the program.
type slowFile struct {
	bytes.Buffer
	writes int
}

func (f *slowFile) Write(b []byte) (int, error) {
	if f.writes++; f.writes <= 2 {
		time.Sleep(slowWrite)
	}
	return f.Buffer.Write(b)
}

func (*slowFile) Close() error { return nil }

// Sending the account to rank 0 and keeping it there is not part of the supersteps that a
// rescheduling call uses on that rank.
func TestKeepingTheAccountIsNoSuperstep(t *testing.T) {
	bsptest.InProcess(t)
	t.Parallel()
	record, log := new(slowFile), &slowFile{writes: 2}
	spec := must.Get(rebalancer.Parse("auto"))(t)
	must.Do(t, bsplib.Run(bsplib.Config{
		Procs: 4, Ranks: 2, Balance: &spec, ProbeShare: -1,
		Account: &ledger.Account{Recorder: ledger.NewRecorder(record, func(err error) { t.Error(err) })},
		Calls:   calls.NewWriter(func() (io.WriteCloser, error) { return log, nil }, func(err error) { t.Error(err) }),
	}, func(b *bsplib.Proc, _ *struct{}) error {
		for range b.Stages(200) {
			for begun := time.Now(); time.Since(begun) < time.Duration(1+b.Pid())*200*time.Microsecond; {
			}
			b.Sync()
		}
		return nil
	}))
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	seen := 0
	for lines.Scan() {
		var call calls.Call
		must.Do(t, json.Unmarshal(lines.Bytes(), &call))
		if len(call.Snapshot.Ranks) == 0 {
			continue
		}
		if seen++; call.Snapshot.Ranks[0].Elapsed >= slowWrite.Seconds() {
			t.Errorf("call after superstep %d: %d supersteps of a millisecond or two took %.3g s", call.Snapshot.Step, call.Snapshot.Ranks[0].Steps, call.Snapshot.Ranks[0].Elapsed)
		}
	}
	if seen == 0 || record.writes < 2 {
		t.Errorf("%d calls, %d writes of the record: nothing was tested", seen, record.writes)
	}
}
