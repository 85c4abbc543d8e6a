package catalogue

// ModelScorer is the name of the scorer that reads a model: model(friends).
const ModelScorer = "model"
