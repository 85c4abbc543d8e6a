// Package classify trains linear classifiers on rows of features, such as the
// vectors of an embedding or the features of pairs of vertices. It knows neither graphs
// nor the meaning of the classes.
package classify
