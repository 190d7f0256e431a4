package bsplib

type settledTmp struct{ Name, Value, Origin string }

func (app *application) settled() []settledTmp { return nil }
