/** Suggests the known word closest to an unknown one. */

/** Above this share of wrong letters a suggestion would confuse. */
const wrongShareMax = 0.5;

/** Candidate with the fewest edits from `word`; the first of equals. Null if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestEdits = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const editsMax = Math.max(word.length, candidate.length) * wrongShareMax;
    // The length difference is a lower bound of the edits. Skipping early bounds the work on long hostile words.
    if (Math.abs(word.length - candidate.length) > editsMax) continue;
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits && edits <= editsMax) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

/** Levenshtein distance: insertions, deletions and replacements of single letters. */
function editsBetween(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
