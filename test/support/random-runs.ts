/** Extent of tests that repeat one property with many inputs: quick in `npm test`, complete if the environment variable TEST_FULL is set. */

export const isFullTest = process.env.TEST_FULL !== undefined;

const runsMin = 5;

/** Number of runs with random input: a tenth, unless the test is a full one. */
export function randomRuns(full: number): number {
  return isFullTest ? full : Math.min(full, Math.max(runsMin, Math.ceil(full / 10)));
}
