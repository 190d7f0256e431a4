package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
)

func call(args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	code := program.Run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestAllForms(t *testing.T) {
	args := []string{"-max", "1000", "-rounds", "1", "-format"}
	code, out, errs := call(append(args, "json")...)
	var all []figures
	if err := json.Unmarshal([]byte(out), &all); code != 0 || err != nil || len(all) != 2*3*2 {
		t.Fatalf("code %d, %v, %d cases, %s", code, err, len(all), errs)
	}
	for _, f := range all {
		if f.Hosts < f.Processes/10 || f.Said <= 0 || f.Heard <= 0 || f.Messages <= 0 || !(f.Call > f.Deciding) || !(f.Deciding > 0) || !(f.Decide > 0) {
			t.Errorf("%+v", f)
		}
	}
	if one, many := all[len(all)-6], all[len(all)-2]; one.Sets != 1 || many.Sets != 10 || many.Messages >= one.Messages {
		t.Errorf("with one Set %+v, with many %+v", one, many)
	}
	if code, out, _ := call(append(args, "csv")...); code != 0 {
		t.Errorf("code %d", code)
	} else if rows, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(rows) != 1+len(all) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if code, out, _ := call(append(args, "table")...); code != 0 || !strings.Contains(out, " processes  hosts  Sets  balance ") {
		t.Errorf("code %d, %s", code, out)
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-max 5", "expected 10 processes at least"},
		{"-sets two", `there is no "two"; there are one, cube, square`},
		{"-balance off", "off decides nothing"},
		{"-balance fast", `there is no strategy "fast"`},
		{"-rounds 0", "at least one"},
		{"-format xml", "there are table, json and csv"},
		{"x", `unexpected argument "x"`},
	} {
		if code, out, errs := call(strings.Fields(c.args)...); code != 2 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: code %d, %s%s", c.args, code, out, errs)
		}
	}
	if code, _, errs := call("-h"); code != 0 || !strings.Contains(errs, "-max") {
		t.Errorf("code %d, %s", code, errs)
	}
}
