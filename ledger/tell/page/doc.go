// Package page makes one HTML file of the record of a run, or of two runs side
// by side. The file needs no network and no other file, and can be read without its
// script, which adds sorting, pointing at cells, choosing a call and saving figures.
//
// The way goes from a ledger.History through plain structs (report, comparison)
// into the templates under web. Charts are functions from figures to SVG; where figures
// are missing the page has a sentence on that.
//
// Whatever a record contains is text to the page, never markup: templates escape
// by context, charts escape in one place (svg.text), data for the script is JSON
// in ASCII, and characters that cannot be shown are replaced on the way out (cleaner).
// The page's own policy lets only its own style and script run.
package page
