// Attention in JavaScript, for the pictures: the same four steps as in attention_src, with which a test compares them.
// A matrix is a list of rows, a mask a list of rows of true (may look) and false.

/** How well each of n queries answers to each of m keys: (n, d), (m, d) -> (n, m). */
export function score(queries, keys) {
  return queries.map((query) => keys.map((key) => query.reduce((sum, x, i) => sum + x * key[i], 0)));
}

/** Scores divided by √d, where d is how many numbers a key has. */
export function scale(scores, d) {
  return scores.map((row) => row.map((x) => x / Math.sqrt(d)));
}

/** Each row of scores as positive weights that sum to 1; all 0 where a query may look nowhere. */
export function softmax(scores, mask = null) {
  return scores.map((row, i) => {
    const seen = row.map((x, j) => (mask && !mask[i][j] ? -Infinity : x));
    const largest = Math.max(...seen);
    if (largest === -Infinity) return row.map(() => 0);
    const raised = seen.map((x) => Math.exp(x - largest));
    const total = raised.reduce((sum, x) => sum + x, 0);
    return raised.map((x) => x / total);
  });
}

/** Negative scores become 0, and each row is divided by how many keys its query may see: it need not sum to 1. */
export function reluWeights(scores, mask = null) {
  return scores.map((row, i) => {
    const visible = mask ? mask[i].filter(Boolean).length : row.length;
    return row.map((x, j) => (mask && !mask[i][j] ? 0 : Math.max(x, 0) / Math.max(visible, 1)));
  });
}

/** The weighted sum of m values for each query: (n, m), (m, d) -> (n, d). */
export function mix(weights, values) {
  return weights.map((row) => values[0].map((_, k) => row.reduce((sum, w, j) => sum + (w && w * values[j][k]), 0)));
}

/** Score, scale, weigh, mix. */
export function attention(queries, keys, values, { mask = null, weigh = softmax } = {}) {
  const weights = weigh(scale(score(queries, keys), keys[0].length), mask);
  return { weights, output: mix(weights, values) };
}
