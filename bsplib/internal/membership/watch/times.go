package watch

import "time"

// Four times decide when what is seen and said; the others follow from them.
const (
	beat      = time.Second           // between two messages of a watcher, while nothing happens
	pace      = 20 * time.Millisecond // between two looks of a watcher, while something does
	lostAfter = 10 * beat             // without a word of a watcher that has a connection
	slowAfter = 30 * beat             // in one superstep; then the rank is named that others wait for

	aloneAfter = 6 * lostAfter // without a word of any watcher, where no rank takes part
	answering  = 2 * beat      // for another watcher to connect again, or to decide
	leaving    = 3 * beat      // for ranks that are to end
	explaining = 3 * pace      // for ranks to note that a signal has asked them to end
	gathering  = 10 * pace     // for other watchers to tell what they have seen, or to read
)
