package fwnb

import (
	"os"
	"strings"
)

// Committed displays what a cell showed when its page was committed, if some of its data is not on this
// machine: the figure name.svg and the tables of name.md, of the folder "committed" next to the notebook. It
// marks them, and displays in bold that all else in the cell is generated. It is called where a cell begins
// to run, and does nothing where no data is missing:
//
//	%%
//	fwnb.Committed("roads/Anaheim", fwdata.Unavailable("Anaheim")...)
//
// The script docker/run_notebooks.py writes the files with the page. Where neither is here, it prints that.
func Committed(name string, missing ...string) {
	if len(missing) == 0 {
		return
	}
	figure, noFigure := os.ReadFile("committed/" + name + ".svg")
	tables, noTables := os.ReadFile("committed/" + name + ".md")
	if noFigure != nil && noTables != nil {
		Markdown("**What this cell shows with the data is not in this folder: committed/" + name + ".**")
	} else {
		Markdown("**As committed, with the data:**")
	}
	if noFigure == nil {
		Figure{SVG: figure, Alt: name}.Show()
	}
	if noTables == nil {
		Markdown(string(tables))
	}
	Markdown("**Not on this machine: " + strings.Join(missing, ", ") +
		". All else in this cell is generated, and the text of the page is not about it.**")
}
