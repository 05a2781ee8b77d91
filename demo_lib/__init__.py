"""Both Ends: how text becomes ids and vectors, and how a vector becomes scores over the vocabulary."""
