// Package pngfile reads pictures that may be anything.
package pngfile

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
)

// MaxPixels bounds the pixels of a picture.
const MaxPixels = 1 << 26

// Open reads a PNG file of any colour type. It allocates no memory for a file with too many pixels.
//
// Errors of the system name the file; others only describe the mistake.
func Open(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read is Open for an open file.
func Read(f io.ReadSeeker) (image.Image, error) {
	about, err := png.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return nil, unreadable(err)
	}
	if about.Width > MaxPixels/about.Height {
		return nil, fmt.Errorf("%d x %d pixels; expected at most %d in all", about.Width, about.Height, MaxPixels)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	picture, err := png.Decode(bufio.NewReader(f))
	if err != nil {
		return nil, unreadable(err)
	}
	return picture, nil
}

func unreadable(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the PNG file is cut off")
	}
	return fmt.Errorf("it cannot be read as PNG: %w", err)
}
