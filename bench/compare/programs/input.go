package programs

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/migbsp/migbsp/apps/fractal/picture"
)

// writeSequences writes two sequences of amino acids, of which the second is the first
// with every fifth letter another one.
func writeSequences(dir string) error {
	const letters, length = "ARNDCQEGHILKMFPSTWYV", 6000
	r := rand.New(rand.NewPCG(1, 0))
	sequence := make([]byte, length)
	for _, file := range []string{"query.fa", "target.fa"} {
		for i := range sequence {
			if sequence[i] == 0 || r.IntN(5) == 0 {
				sequence[i] = letters[r.IntN(len(letters))]
			}
		}
		text := fmt.Sprintf(">made\n%s\n", sequence)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// writeLandscape writes the picture of apps/fractal -size 512 -chroma none.
func writeLandscape(dir string) error {
	return writePGM(filepath.Join(dir, "landscape.pgm"), picture.Generate(512, 1).Grey())
}

// writePGM writes a grey picture.
func writePGM(path string, p *picture.Picture) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "P5 %d %d 255\n", p.Width, p.Height)
	w.Write(p.Pix)
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
