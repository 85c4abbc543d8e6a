package gather

import (
	"heavytail/storage/format"
)

// Times is what the timestamps of one import or one call have in common.
type Times struct {
	Dates   bool // one was given as a date
	Numbers bool // one was given as a number
	Clocks  bool // one is no beginning of a day
}

// Add counts one timestamp; dated says that it was given as a date.
func (g *Times) Add(time int64, dated bool) {
	g.Dates, g.Numbers = g.Dates || dated, g.Numbers || !dated
	g.Clocks = g.Clocks || !format.IsMidnight(time)
}
