package bsplib

import (
	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
)

func init() {
	driver.Held.Process = func(proc any) *driver.Process { return &proc.(*Proc).process }
	driver.Held.Area = func(area any) *stream.Area { return area.(Area[byte]).at }
	driver.Held.Queue = func(queue any) *stream.Queue { return queue.(Queue[uint64, byte]).at }
}
