// Package bsplib has the library's declarations, as far as the tests need them.
package bsplib

import (
	"iter"
	"time"
)

type Proc struct{ pid int }

func (p *Proc) Fresh() bool                 { return true }
func (p *Proc) Stages(n int) iter.Seq[int]  { return nil }
func (p *Proc) Sync()                       {}
func (p *Proc) Pid() int                    { return p.pid }
func (p *Proc) NProcs() int                 { return 1 }
func (p *Proc) Superstep() int              { return 0 }
func (p *Proc) Time() time.Duration         { return 0 }
func (p *Proc) Load(x float64)              {}
func (p *Proc) Runtime() Runtime            { return Runtime{p} }
func (p *Proc) Abort(text string, a ...any) {}

type Runtime struct{ p *Proc }

func (r Runtime) Aside(f func()) { f() }

type area struct{}

type Area[T any] struct{ *area }

func (a Area[T]) Slice() []T                         { return nil }
func (a Area[T]) Put(pid, offset int, values ...T)   {}
func (a Area[T]) Get(pid, offset int, to []T)        {}
func (a Area[T]) HPPut(pid, offset int, values ...T) {}

type queue struct{}

type Queue[Tag, T any] struct{ *queue }

func (q Queue[Tag, T]) Receive(to []T) int       { return 0 }
func (q Queue[Tag, T]) All() iter.Seq2[Tag, []T] { return nil }

type Options struct{ Description string }

type Config struct{ Procs int }

func Register[T any](p *Proc, mem []T) Area[T]                      { return Area[T]{} }
func Alloc[T any](p *Proc, n int) Area[T]                           { return Area[T]{} }
func Allreduce[T any](p *Proc, x T, op func(a, b T) T) T            { return x }
func Main[S any](program func(*Proc, *S) error, options ...Options) {}
func Run[S any](cfg Config, program func(*Proc, *S) error) error    { return nil }
