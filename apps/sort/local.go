package main

// radixSort sorts keys by one byte after the other, from the lowest on.
func radixSort(keys []uint64) {
	var counts [8][256]int
	for _, k := range keys {
		for digit := range counts {
			counts[digit][k>>(8*digit)&255]++
		}
	}
	from, to := keys, make([]uint64, len(keys))
	for digit := range counts {
		next := &counts[digit] // where the next key with a byte goes
		shift := 8 * digit
		if len(keys) == 0 || next[keys[0]>>shift&255] == len(keys) {
			continue // all have the same byte
		}
		place := 0
		for i, count := range next {
			next[i] = place
			place += count
		}
		for _, k := range from {
			at := &next[k>>shift&255]
			to[*at] = k
			*at++
		}
		from, to = to, from
	}
	copy(keys, from)
}

// merge merges sorted lists, two at a time. The result may be one of them.
func merge(lists [][]uint64) []uint64 {
	switch n := len(lists); n {
	case 0:
		return nil
	case 1:
		return append([]uint64(nil), lists[0]...)
	case 2:
		return mergeTwo(lists[0], lists[1])
	default:
		return mergeTwo(merge(lists[:n/2]), merge(lists[n/2:]))
	}
}

// mergeTwo takes from a first where both have equal keys.
func mergeTwo(a, b []uint64) []uint64 {
	merged := make([]uint64, len(a)+len(b))
	i, j := 0, 0
	for k := range merged {
		if j == len(b) || i < len(a) && a[i] <= b[j] {
			merged[k] = a[i]
			i++
		} else {
			merged[k] = b[j]
			j++
		}
	}
	return merged
}
