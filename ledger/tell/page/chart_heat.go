package page

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"math"

	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
)

// heat is the work of each rank in each superstep over the mean.
type heat struct {
	SVG    template.HTML
	Bands  []band // for the script
	Levels string // row by row, in base64
}

// band is a row's position in a chart, and its name.
type band struct {
	Y      float64 `json:"y"`
	Height float64 `json:"h"`
	Name   string  `json:"name"`
}

// heatMap draws ranks by supersteps, one picture per Set, one pixel per cell.
func heatMap(id string, v *tell.View, all course, rows []row) heat {
	const top, gap = 36, 8
	sets := 0
	for i := range rows {
		if i == 0 || rows[i].Set != rows[i-1].Set {
			sets++
		}
	}
	each := max(1.25, min(18, 380/float64(len(rows))))
	bottom := top + each*float64(len(rows)) + gap*float64(sets-1)
	s := chart(id, "heat", chartWidth, bottom+40, "Work of each rank over the mean of the superstep",
		fmt.Sprintf("%s by %s; 1 is the mean, more is what others wait for.", ledger.Count(len(rows), "row"), ledger.Count(len(all), "column")), "data-course", "", "data-cells", "")
	s.heatLegend()
	result := heat{}
	var levels []byte
	y := float64(top)
	for first := 0; first < len(rows); {
		next := first + 1
		for next < len(rows) && rows[next].Set == rows[first].Set {
			next++
		}
		picture, cells := cellsOf(all, rows[first:next])
		levels = append(levels, cells...)
		tall := each * float64(next-first)
		s.Image("cells", picture, plotLeft, y, plotRight-plotLeft, tall)
		s.Text("label", "start", 2, y+min(tall, 14), shorten(v.Account.Run().Sets[rows[first].Set].Name, 10))
		for i := first; i < next; i++ {
			at := y + each*float64(i-first)
			result.Bands = append(result.Bands, band{at, each, rows[i].name(v.Account.Run())})
			if each >= 11 || i == first && next-first > 1 || i == next-1 {
				s.Text("tick row", "end", plotLeft-6, at+each/2+4, fmt.Sprintf("r%d", rows[i].First))
			}
		}
		y += tall + gap
		first = next
	}
	s.supersteps(all, bottom+1)
	result.SVG = s.end()
	result.Levels = base64.StdEncoding.EncodeToString(levels)
	return result
}

// cellsOf makes the picture of rows, as base64 of a PNG, and their levels.
func cellsOf(all course, rows []row) (picture string, levels []byte) {
	cells := image.NewPaletted(image.Rect(0, 0, max(1, len(all)), len(rows)), shades)
	for y, r := range rows {
		for x := range all {
			part, worked := r.relative(&all[x])
			if !worked {
				cells.Pix[y*cells.Stride+x] = shadeEmpty
				levels = append(levels, noWork)
				continue
			}
			cells.Pix[y*cells.Stride+x] = shade(part)
			levels = append(levels, level(part))
		}
	}
	var text bytes.Buffer
	packer := png.Encoder{CompressionLevel: png.BestCompression}
	if err := packer.Encode(&text, cells); err != nil {
		panic(err) // a picture in memory
	}
	return base64.StdEncoding.EncodeToString(text.Bytes()), levels
}

// heatLegend draws the colours with their meaning.
func (s picture) heatLegend() {
	const y, step = 6, 12
	s.Text("tick", "end", plotLeft-6, y+11, "× mean")
	x := float64(plotLeft)
	for i := 0; i < shadeMore; i += 2 {
		s.shade(i, x, y, step)
		if i%10 == 0 {
			s.Text("tick", "middle", x+step/2, y+24, plain(float64(i)*shadeStep))
		}
		x += step
	}
	s.shade(shadeMore, x+14, y, step)
	s.Text("tick", "start", x+32, y+11, "more")
	s.shade(shadeEmpty, x+78, y, step)
	s.Text("tick", "start", x+96, y+11, "no rank worked")
}

// shade draws one of the colours.
func (s picture) shade(i int, x, y, width float64) {
	r, g, b, _ := shades[i].RGBA()
	s.Rect("cells", x, y, width, 12, "fill", fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))
}

// Levels have a rank's work over the mean in one byte, for the script: in steps of 0.02 to 4, then
// in steps of 5 percent.
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

// shades are the colours of the heat map, from no work over the mean to twice the mean,
// then one for more and one for no work. Colour-blind readers can tell blue from orange; a
// dark page shows them inverted.
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
