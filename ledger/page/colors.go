package page

import (
	"image/color"
	"math"
)

// Levels tell a rank's work over the mean in one byte, for the script: in steps
// of 0.02 to 4, then in steps of 5 percent.
const (
	fineLevels = 200
	noWork     = 255
)

func level(x float64) byte {
	if x < 4 {
		return byte(math.Round(x * 50))
	}
	return byte(min(noWork-1, fineLevels+math.Round(math.Log(x/4)/math.Log(1.05))))
}

// shades are the colours of the heat map, from no work over the mean to twice
// the mean, then one for more and one for nothing. Blue and orange are told apart
// by all readers; a dark page shows them inverted.
const (
	shadeStep  = 0.05
	shadeMore  = 41
	shadeEmpty = 42
)

var shades = func() color.Palette {
	stops := [5][3]float64{{8, 64, 129}, {92, 160, 206}, {247, 247, 247}, {244, 141, 62}, {150, 52, 4}}
	var all color.Palette
	for i := 0; i < shadeMore; i++ {
		at := float64(i) * shadeStep * 2
		k := min(3, int(at))
		part := at - float64(k)
		mix := func(c int) uint8 { return uint8(math.Round(stops[k][c]*(1-part) + stops[k+1][c]*part)) }
		all = append(all, color.RGBA{mix(0), mix(1), mix(2), 255})
	}
	return append(all, color.RGBA{84, 20, 0, 255}, color.RGBA{128, 128, 128, 255})
}()

func shade(x float64) uint8 { return uint8(min(shadeMore, math.Round(x/shadeStep))) }
