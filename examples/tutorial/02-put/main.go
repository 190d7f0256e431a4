// Put lets each process write its number into the memory of the next one.
package main

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
)

func main() { bsplib.Main(put) }

func put(b *bsplib.Proc, _ *struct{}) error {
	left := bsplib.Register(b, make([]int, 1))
	b.Sync()
	left.Put((b.Pid()+1)%b.NProcs(), 0, b.Pid())
	b.Sync()
	fmt.Printf("process %d is right of process %d\n", b.Pid(), left.Slice()[0])
	return nil
}
