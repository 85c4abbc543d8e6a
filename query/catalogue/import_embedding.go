package catalogue

// MethodImported is the method of embeddings whose vectors were imported.
const MethodImported = "imported"
