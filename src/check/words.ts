/** Puts several words into one value of a finding. */

/** The words without repetition, in order, as a finding quotes them. */
export function distinct(words: readonly string[]): string {
  return [...new Set(words)].join(", ");
}
