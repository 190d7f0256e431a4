// Failing is a program that ends in the way its flag says, for tests of what
// all ranks then do.
package main

import (
	"flag"
	"fmt"

	"github.com/migbsp/migbsp/bsplib"
)

var how = flag.String("how", "", "bounds, panic, end, error, abort, register or unverified")

func main() {
	bsplib.Main(func(b *bsplib.Proc, _ *struct{}) error {
		x := bsplib.Register(b, make([]int, 4))
		b.Sync()
		switch guilty := b.Pid() == 1; {
		case *how == "unverified":
			return bsplib.ErrNotVerified
		case guilty && *how == "bounds":
			x.Put(0, 3, 1, 2)
		case guilty && *how == "panic":
			panic("out of order")
		case guilty && *how == "end":
			return nil
		case guilty && *how == "error":
			return fmt.Errorf("cannot go on")
		case guilty && *how == "abort":
			b.Abort("enough")
		case guilty && *how == "register":
			bsplib.Register(b, []byte{1})
		}
		b.Sync()
		return nil
	})
}
