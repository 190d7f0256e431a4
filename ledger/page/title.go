package page

import "github.com/migbsp/migbsp/ledger"

// titleOf names what ran, with its size.
func titleOf(h *ledger.History) string { return h.Account.Conclude(h.End).Title }
