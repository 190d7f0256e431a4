package ledger

// mostMessages bounds the messages of a Load, and leastSenders what that may leave of
// those that a process receives.
const (
	mostMessages = 1 << 16
	leastSenders = 16
)

// Senders is how many others a process can have messages from in a Load of so many
// processes.
func Senders(procs int) int { return max(leastSenders, mostMessages/max(1, procs)) }

// thinned is messages by receiver with no more than Senders for each.
func thinned(all []Message, procs int) []Message {
	if Senders(procs) >= procs {
		return all
	}
	kept := all[:0]
	for begin := 0; begin < len(all); {
		end := begin
		for end < len(all) && all[end].To == all[begin].To {
			end++
		}
		kept = append(kept, Thin(all[begin:end], procs)...)
		begin = end
	}
	return kept
}

// Thin leaves no more than Senders of the messages to one process: those at every so
// many processes' distance from it, with the bytes of all. So where all send to all,
// senders as well as receivers keep what they have. It reuses the memory of the list.
func Thin(to []Message, procs int) []Message {
	most := Senders(procs)
	if len(to) <= most {
		return to
	}
	every := (procs + most - 1) / most
	all, left := 0.0, 0.0
	kept := to[:0]
	for _, m := range to {
		all += m.Bytes
		if m.Bytes > 0 && (m.From-m.To+procs)%procs%every == every/2 {
			left += m.Bytes
			kept = append(kept, m)
		}
	}
	if len(kept) == 0 { // there is none at such a distance
		kept = to[:most]
		for _, m := range kept {
			left += m.Bytes
		}
	}
	for i := range kept {
		if left > 0 {
			kept[i].Bytes *= all / left
		}
	}
	return kept
}
