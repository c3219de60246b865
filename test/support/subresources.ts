/** A subresource as the page probe returns it: by default a cross-site script. */
import type { Subresource } from "../../src/evidence/page-facts.ts";

export function subresource(changes: Partial<Subresource> = {}): Subresource {
  return {
    url: "https://cdn.example/lib.js",
    kind: "script",
    integrity: null,
    crossOrigin: null,
    sameSite: false,
    sameOrigin: false,
    ...changes,
  };
}
