package match

// MaxContrast is the largest contrast. It represents MaxContrast/16, which is below one, so that
// repeated application to any picture converges.
const MaxContrast = 15

// Best is the domain that resembles a range most. Contrast 0 is none: then the mean
// alone stands for the range. Of domains that are as good as each other the one with
// the lower number is best, and then the isometry with the lower number.
type Best struct {
	Gain     int64 // reduction of the squared error from the mean alone, times 4096 times the pixels of a block
	Domain   int32
	Isometry uint8
	Contrast int8
}

// better reports whether x replaces y.
func (x Best) better(y Best) bool {
	switch {
	case x.Gain != y.Gain:
		return x.Gain > y.Gain
	case x.Domain != y.Domain:
		return x.Domain < y.Domain
	default:
		return x.Isometry < y.Isometry
	}
}

// Ranges is range blocks and their best domains so far.
type Ranges struct {
	Side int
	Pix  []uint8 // block by block
	Best []Best
}

// NewRanges makes count blocks of a side, which is even.
func NewRanges(side, count int) Ranges {
	return Ranges{Side: side, Pix: make([]uint8, count*side*side), Best: make([]Best, count)}
}

// Block is a block's pixels.
func (r *Ranges) Block(i int) []uint8 {
	n := r.Side * r.Side
	return r.Pix[i*n : (i+1)*n]
}

// Mean is half the mean of a block, rounded.
func (r *Ranges) Mean(i int) uint8 {
	sum, n := 0, r.Side*r.Side
	for _, x := range r.Block(i) {
		sum += int(x)
	}
	return uint8(min(127, (sum+n)/(2*n)))
}

// least returns the smallest gain for which a domain is worth its bits: half a grey level squared for
// each pixel.
func least(pixels int) int64 { return 2048 * int64(pixels) * int64(pixels) }

// contrast returns the best contrast for n times the covariance of a range and a domain and
// n times the variance of the domain, and its gain.
func contrast(covariance, variance int64) (level int8, gain int64) {
	c := max(covariance, -covariance)
	a := min(MaxContrast, (128*c+variance-1)/(2*variance)) // 64 c / variance, halves down
	gain = 128*a*c - a*a*variance
	if covariance < 0 {
		a = -a
	}
	return int8(a), gain
}

// center writes numbers less their rounded mean and returns their sum and the sum of their
// squares.
func center[T uint8 | uint16](from []T, to []int16) (rest int32, squares int64) {
	n, sum := len(from), 0
	for _, x := range from {
		sum += int(x)
	}
	mean := (sum + n/2) / n
	for i, x := range from {
		d := int(x) - mean
		to[i] = int16(d)
		squares += int64(d) * int64(d)
	}
	return int32(sum - n*mean), squares
}
