//go:build linux

package main

import (
	"github.com/migbsp/migbsp/cmd/testbed/internal/control"
	"github.com/migbsp/migbsp/cmd/testbed/internal/spec"
)

func setSpeed(arguments []string) error {
	if err := take(arguments, "HOST", "PART"); err != nil {
		return err
	}
	speed, err := spec.ParseSpeed(arguments[1])
	if err != nil {
		return usage("%v", err)
	}
	return ask(control.Request{Do: control.SetSpeed, Host: arguments[0], Speed: speed})
}

func setRate(arguments []string) error {
	if err := take(arguments, "LINK", "RATE"); err != nil {
		return err
	}
	var rate spec.Rate
	if arguments[1] != "none" {
		var err error
		if rate, err = spec.ParseRate(arguments[1]); err != nil {
			return usage("%v", err)
		}
	}
	return ask(control.Request{Do: control.SetRate, Line: arguments[0], Rate: rate})
}

func hog(arguments []string) error {
	if err := take(arguments, "HOST", "PART"); err != nil {
		return err
	}
	var part spec.Speed
	if arguments[1] != "off" {
		var err error
		if part, err = spec.ParsePart(arguments[1]); err != nil {
			return usage("%v, or off", err)
		}
	}
	return ask(control.Request{Do: control.Hog, Host: arguments[0], Speed: part})
}

func crash(arguments []string) error {
	if err := take(arguments, "HOST"); err != nil {
		return err
	}
	return ask(control.Request{Do: control.Crash, Host: arguments[0]})
}

// ask sends a request that is answered at once.
func ask(request control.Request) error {
	call, err := control.Ask(request)
	if err != nil {
		return err
	}
	call.Close()
	return nil
}
