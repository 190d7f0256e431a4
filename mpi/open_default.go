//go:build !mpi

package mpi

import "fmt"

// Open returns the Comm of this process among those a launcher started, or nil
// when there are no others: the ranks are then goroutines of this process
// (InProcess). A build without MPI cannot join other processes and says so.
func Open(quota float64) (Comm, error) {
	tasks, launcher := Launched()
	if tasks == 0 || tasks == 1 {
		return nil, nil
	}
	of := "several tasks"
	if tasks > 1 {
		of = fmt.Sprintf("%d tasks", tasks)
	}
	return nil, fmt.Errorf("this program was built without MPI but was started as one of %s by %s: build it with  go build -tags mpi ...", of, launcher)
}

// Library names the MPI library that this build uses, "" if none.
func Library() string { return "" }
