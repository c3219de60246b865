/** Reads that may fail, with a value in place of the error. */

/** What `read` returns, or `fallback` if it throws. */
export function tryOr<T, F>(read: () => T, fallback: F): T | F {
  try {
    return read();
  } catch {
    return fallback;
  }
}
