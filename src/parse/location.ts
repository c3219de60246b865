/** Name of a location: a place from which scans are gathered. It is part of subjects, URLs and metrics. */

/** The location of the server itself. */
export const localLocation = "local";

export const locationCharsMax = 32;
const locationName = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Small letters, digits and inner hyphens, at most `locationCharsMax`; null for anything else. */
export function parseLocation(text: string): string | null {
  return text.length <= locationCharsMax && locationName.test(text) ? text : null;
}
