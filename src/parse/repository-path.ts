/** Paths of files inside a repository. */

const pathCharsMax = 1_024;

/** Null for an absolute path, one that leaves its folder, and one that is no path in a URL. */
export function parseRepositoryPath(text: string): string | null {
  const parts = text.split("/");
  // A backslash is no separator in a URL, and a colon in the first part would make it a scheme.
  const isPath = text.length <= pathCharsMax && /^[^\\\p{Cc}\p{Cf}\u2028\u2029]+$/u.test(text) && !parts[0]?.includes(":");
  return isPath && parts.every((part) => part !== "" && part !== "." && part !== "..") ? text : null;
}
