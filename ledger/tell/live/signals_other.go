//go:build !unix

package live

import "os"

// handled are the signals that a view handles.
var handled = []os.Signal{os.Interrupt}

func isResize(os.Signal) bool             { return false }
func isStop(os.Signal) bool               { return false }
func isContinue(os.Signal) bool           { return false }
func stopAll()                            {}
func stopSelf(<-chan os.Signal) os.Signal { return nil }
