package entries

// ModelSummary describes it in a line.
const ModelSummary = "calibrated probability of a model that TRAIN MODEL has learned"
