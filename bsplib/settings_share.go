package bsplib

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/mpi"
)

// outcome is what rank 0 has made of the settings.
type outcome struct {
	ended bool // there is nothing more to do
	code  int  // then: of the program
}

// share tells all ranks the outcome and, if they are to go on, the settings and
// the hosts that rank 0 has read: command lines, environments and files are not
// everywhere the same. A rank that cannot take them over ends all.
func (app *application) share(flags *flag.FlagSet, o *outcome) error {
	said, err := sayToAll(app.config.Comm, app.statement(o))
	if err != nil {
		return err
	}
	failed := []int64{0}
	if !app.lead {
		if err := app.takeOver(flags, said, o); err != nil {
			fmt.Fprintf(os.Stderr, "%s: rank %d: %v\n", app.name, app.config.Comm.Rank(), err)
			failed[0] = 1
		}
	}
	if err := app.config.Comm.Combine(mpi.Max, failed); err != nil {
		return err
	}
	if failed[0] != 0 {
		o.ended, o.code = true, ExitUsage
	}
	return nil
}

// statement is all that rank 0 has to say, as a list of texts: whether the
// program has ended, its code, the text of the hosts file, and for each setting
// its name, value and origin, how often it was given, and as what.
func (app *application) statement(o *outcome) []string {
	list := []string{strconv.FormatBool(o.ended), strconv.Itoa(o.code), app.hostsText}
	for _, v := range app.settled() {
		list = append(list, v.Name, v.Value, v.Origin, strconv.Itoa(len(v.Given)))
		list = append(list, v.Given...)
	}
	return list
}

// takeOver does on another rank what rank 0's statement says.
func (app *application) takeOver(flags *flag.FlagSet, said []string, o *outcome) error {
	o.ended = said[0] == "true"
	o.code, _ = strconv.Atoi(said[1])
	if o.ended {
		return nil
	}
	app.hostsText = said[2]
	for said = said[3:]; len(said) > 0; {
		given, _ := strconv.Atoi(said[3])
		v := settings.Value{Name: said[0], Value: said[1], Origin: said[2], Given: said[4 : 4+given]}
		if err := v.Apply(flags); err != nil {
			return fmt.Errorf("-%s %s, which rank 0 takes: %w", v.Name, v.Value, err)
		}
		app.values = append(app.values, v)
		said = said[4+given:]
	}
	if err := app.chooseBalance(); err != nil {
		return err
	}
	if err := app.readProbe(); err != nil || app.flags.hosts == "" {
		return err
	}
	var err error
	app.config.Platform, err = hostfile.Parse(app.flags.hosts, strings.NewReader(app.hostsText))
	return err
}

// sayToAll gives all ranks rank 0's list.
func sayToAll(comm mpi.Comm, list []string) ([]string, error) {
	var text []byte
	for _, s := range list {
		text = binary.AppendUvarint(text, uint64(len(s)))
		text = append(text, s...)
	}
	length := binary.BigEndian.AppendUint64(nil, uint64(len(text)))
	if err := comm.Broadcast(0, length); err != nil {
		return nil, err
	}
	if comm.Rank() != 0 {
		text = make([]byte, binary.BigEndian.Uint64(length))
	}
	if err := comm.Broadcast(0, text); err != nil {
		return nil, err
	}
	list = nil
	for b := bytes.NewBuffer(text); b.Len() > 0; {
		n, err := binary.ReadUvarint(b)
		if err != nil || n > uint64(b.Len()) {
			return nil, errors.New("the settings of rank 0 have not arrived whole")
		}
		list = append(list, string(b.Next(int(n))))
	}
	return list, nil
}
