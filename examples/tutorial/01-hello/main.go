// Hello says which process it is: on each process once.
package main

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
)

func main() { bsplib.Main(hello) }

func hello(b *bsplib.Proc, _ *struct{}) error {
	fmt.Printf("process %d of %d\n", b.Pid(), b.NProcs())
	return nil
}
