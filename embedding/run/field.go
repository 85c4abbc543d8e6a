package run

import (
	"fmt"

	"heavytail/embedding/option"
)

// This file has the kinds of options that several methods have. Validate of the method checks most
// ranges, because some depend on other options.

// count is an option for a whole number from least to most.
func count[O any](name, doc string, least, most int64, at func(*O) *int) option.Field[O] {
	return option.Int(name, doc, at).Between(least, most).Must(fmt.Sprintf("a whole number from %d to %d", least, most))
}

// positive is an option for a number above 0. allowed names its range.
func positive[O any](name, doc, allowed string, at func(*O) *float64) option.Field[O] {
	return option.Float(name, doc, at).Where(allowed, func(v any) bool { return v.(float64) > 0 })
}

// float is an option for a number for which zero is a valid value. allowed names its range.
func float[O any](name, doc, allowed string, at func(*O) **float64) option.Field[O] {
	return option.FloatOrNil(name, doc, at).Must(allowed)
}

const dimName = "dim"

// DirectionOption is the name of the option of methods that follow the direction of edges, for errors.
const DirectionOption = "direction"

// dim is the number of coordinates. limit adds to its explanation.
func dim[O any](limit string, at func(*O) *int) option.Field[O] {
	return count(dimName, "coordinates per vertex"+limit, 1, 4096, at)
}

// weights says whether the weights of edges are used.
func weights[O any](ignored func(*O) *bool) option.Field[O] {
	return option.Unless("weights", "use the weights of edges, if the graph has any", ignored)
}

// rowScale is the power of the degree by which vectors are divided.
func rowScale[O any](at func(*O) **float64) option.Field[O] {
	return float("row_scale", "power of the degree by which every vector is divided", "a number from 0 to 4", at)
}

// rowNorm is the power of its length by which each vector is divided.
func rowNorm[O any](at func(*O) **float64) option.Field[O] {
	return float("row_norm", "power of its length by which every vector is divided; 1 gives all the length 1 before row_scale", "a number from 0 to 1", at)
}

// seed is any whole number.
func seed[O any](doc string, at func(*O) *uint64) option.Field[O] {
	return option.Seed(doc, at).Must("a whole number")
}
