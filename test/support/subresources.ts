/** A subresource as the page probe hands it over: a script of another site, unless said otherwise. */
import type { Subresource } from "../../src/evidence/facts.ts";

export function subresource(given: Partial<Subresource> = {}): Subresource {
  return {
    url: "https://cdn.example/lib.js",
    kind: "script",
    integrity: null,
    crossOrigin: null,
    sameSite: false,
    sameOrigin: false,
    ...given,
  };
}
