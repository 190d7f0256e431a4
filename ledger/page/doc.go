// Package page makes one HTML file of the record of a run, or of two runs side
// by side. The file needs nothing else: no network, no other file, and no script
// to be read; a script adds sorting, pointing at cells, choosing a call and
// saving figures.
//
// The way goes from a ledger.History through plain structs (report, comparison)
// into the templates under web. Charts are functions from figures to SVG; a page
// that lacks figures says so in their place.
//
// Whatever a record contains is text to the page, never markup: templates escape
// by context, charts escape in one place (svg.text), data for the script is JSON
// in ASCII, and what cannot be shown at all is replaced on the way out (cleaner).
// The page's own policy lets only its own style and script run.
package page
