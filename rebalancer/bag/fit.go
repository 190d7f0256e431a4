package bag

import "math"

// fit is a line by least squares: seconds = a + b * size. A point's weight is 1 when it
// comes.
type fit struct {
	points                         int
	weight                         float64
	sizes, seconds                 float64 // weighted sums
	sizeSize, sizeSeconds, squared float64
	least, most                    float64 // sizes
}

// add adds a point. All earlier ones keep a part of their weight.
func (f *fit) add(size int, seconds, keep float64) {
	x := float64(size)
	if f.weight == 0 {
		f.least, f.most = x, x
	}
	f.least, f.most = min(f.least, x), max(f.most, x)
	f.points++
	f.weight = keep*f.weight + 1
	f.sizes = keep*f.sizes + x
	f.seconds = keep*f.seconds + seconds
	f.sizeSize = keep*f.sizeSize + x*x
	f.sizeSeconds = keep*f.sizeSeconds + x*seconds
	f.squared = keep*f.squared + seconds*seconds
}

// correlation returns the correlation of sizes and seconds; 0 if either does not vary.
func (f *fit) correlation() float64 {
	sizes, seconds := f.weight*f.sizeSize-f.sizes*f.sizes, f.weight*f.squared-f.seconds*f.seconds
	if !(sizes > 0 && seconds > 0) {
		return 0
	}
	return (f.weight*f.sizeSeconds - f.sizes*f.seconds) / math.Sqrt(sizes*seconds)
}

// straight reports whether the points lie on the line, which is then better than the mean time of
// a task. Two points do not count.
func (f *fit) straight() bool { return f.points > 2 && f.correlation() >= 0.99999 }

// line returns a and b. If the line begins below 0 or does not rise, or all sizes are
// equal, it is the one through 0 with the mean time of a task.
func (f *fit) line() (a, b float64) {
	if variance := f.weight*f.sizeSize - f.sizes*f.sizes; variance > 1e-9*f.weight*f.sizeSize {
		b = (f.weight*f.sizeSeconds - f.sizes*f.seconds) / variance
		a = (f.seconds - b*f.sizes) / f.weight
	}
	if !(b > 0) || a < 0 {
		return 0, f.mean()
	}
	return a, b
}

// mean is the mean time of a task.
func (f *fit) mean() float64 { return f.seconds / f.sizes }
