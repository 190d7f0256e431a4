// Send sends numbers to the processes that own them. A receiver learns their number on arrival.
package main

import (
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
)

func main() { bsplib.Main(send) }

func send(b *bsplib.Proc, _ *struct{}) error {
	squares := bsplib.NewQueue[struct{}, int](b)
	for k := b.Pid(); k < 20; k += b.NProcs() {
		squares.Send(k*k%10%b.NProcs(), struct{}{}, k*k)
	}
	b.Sync()
	sum, count := 0, squares.Len()
	for _, values := range squares.All() {
		sum += values[0]
	}
	fmt.Printf("process %d has got %d squares, in all %d\n", b.Pid(), count, sum)
	return nil
}
