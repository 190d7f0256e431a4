// Package page makes one HTML file from the record of a run, or of two runs side by side. The file
// needs no network and no other file, and can be read without its script, which adds sorting,
// pointing at cells, choosing a call and saving figures.
//
// A ledger.History becomes plain structs (report, comparison), and these become HTML by the
// templates under web. Charts are functions from figures to SVG; a sentence replaces missing
// figures.
//
// All of a record is text to the page, never markup: templates escape by context, charts escape in
// a single function (svg.text), data for the script is JSON in ASCII, and characters that cannot be
// shown are replaced at the end (clean). The page's own policy lets only its own style and script
// run.
package page
