// Package sweep has the options and rows of reconstructions at many radii.
package sweep
