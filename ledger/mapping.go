package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// MappingName is the name of the file next to a record that has the mapping at the end of the run.
const MappingName = "mapping.csv"

// KeepMapping writes the mapping at the end of a run into its directory, as the flag -start and migbsp
// simulate read it. The file is complete or absent.
func KeepMapping(dir string, a *Account) error {
	f, err := os.CreateTemp(dir, MappingName+".*")
	if err != nil {
		return err
	}
	err = errors.Join(writeMapping(f, a.Run(), a.Where()), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, MappingName))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// writeMapping writes a line map,process,host,rank for each process.
func writeMapping(w io.Writer, run *Run, where []int32) error {
	out := bufio.NewWriter(w)
	for pid, rank := range where {
		fmt.Fprintf(out, "map,%d,%s,%d\n", pid, run.Ranks[rank].Host, rank)
	}
	return out.Flush()
}
