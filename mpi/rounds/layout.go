package rounds

// A message of the rounds is a head and, in front of each parcel, a label; parts begin at
// multiples of Align. A parcel is all that the ranks of a node have for the ranks of another: a
// record for each piece, in front of its bytes.
const (
	HeadBytes   = 16
	LabelBytes  = 16
	RecordBytes = 16
	Align       = 16
)

// LongPieceBytes is the least length of a piece that goes directly from its rank to the other rank,
// unless each of them is its node's only rank: then a copy takes longer than a message.
const LongPieceBytes = 32 << 10

// Slots are no longer than the messages that libraries send without asking the receiver first,
// unless a thousand nodes or more announce a parcel for every other one, or all data goes in one
// round, as in dense exchanges: a message then goes directly to its node, and a parcel by itself
// would be a second one.
const (
	slotBytes     = 4000
	longSlotBytes = 16000
	fewParcels    = 4 // that share the shorter slot
	straightBytes = HeadBytes + LabelBytes + LongPieceBytes
)

// layout divides slots. Step s of a node passes on at most one parcel for each distance with that
// digit: with InlineBytes for each, a message always fits into its slot.
func (p *Plan) layout() {
	switch {
	case p.Rounds == 1:
		p.divide(straightBytes)
	case p.mostParcels() > fewParcels:
		p.divide(longSlotBytes)
	default:
		p.divide(slotBytes)
	}
}

func (p *Plan) divide(room int) { p.SlotBytes, p.InlineBytes = divide(room, p.mostParcels()) }

// divide divides the room of a message among as many parcels as it may have to carry.
func divide(room, most int) (slot, inline int) {
	each := max((room-HeadBytes)/most/Align*Align, LabelBytes)
	return HeadBytes + most*each, each - LabelBytes
}

// mostParcels returns the maximum number of parcels in a message.
func (p *Plan) mostParcels() int {
	carried := make([]int, p.Rounds*p.Radix) // by round and digit
	most := 1
	for d := 1; d < p.Nodes; d++ {
		for round, rest := 0, d; rest > 0; round, rest = round+1, rest/p.Radix {
			if digit := rest % p.Radix; digit > 0 {
				at := round*p.Radix + digit
				carried[at]++
				most = max(most, carried[at])
			}
		}
	}
	return most
}

// Long reports whether a piece goes directly from its rank to the other one. aloneHere and
// aloneThere report whether these ranks have their nodes to themselves.
func Long(bytes int, aloneHere, aloneThere bool) bool {
	return bytes >= LongPieceBytes && !(aloneHere && aloneThere)
}

// Packed returns the number of bytes of a parcel that a piece takes.
func Packed(bytes int, long bool) int {
	if long {
		return RecordBytes
	}
	return RecordBytes + aligned(bytes)
}

func aligned(n int) int { return (n + Align - 1) / Align * Align }
