/** Visits for the tests of proofs, without a browser. */
import { read } from "../../src/evidence/evidence.ts";
import type { BlockedByPolicy, DocumentShape, Observation, ObservedRequest } from "../../src/evidence/observation.ts";
import type { VisitFacts } from "../../src/prove/compare.ts";

export const shapeOf = (given: Partial<DocumentShape> = {}): DocumentShape => ({
  elements: [
    { name: "html", count: 1 },
    { name: "p", count: 4 },
  ],
  structure: "5-1",
  textChars: 1_000,
  inline: [],
  inlineScripts: 0,
  inlineStyles: 0,
  handlers: 0,
  styleAttributes: 0,
  ...given,
});

export const blockedBy = (given: Partial<BlockedByPolicy>): BlockedByPolicy => ({
  directive: "script-src-elem",
  kind: "url",
  url: null,
  hash: null,
  file: "https://site.test/",
  line: 1,
  byScript: false,
  reportOnly: false,
  ...given,
});

export const loaded = (url: string, kind = "script"): ObservedRequest => ({ url, kind, outcome: "loaded" });

export function visitOf(given: Partial<Observation> = {}, { url = "https://site.test/", stillChanging = false } = {}): VisitFacts {
  const dom = { metas: [], metasDropped: 0, subresources: [], subresourcesDropped: 0, forms: [], formsDropped: 0, title: "" };
  const navigation = { hops: [], finalUrl: url, finalStatus: 200, remoteAddress: null, security: null };
  return {
    readings: { navigation: read(navigation), dom: read(stillChanging ? { ...dom, stillChanging } : dom) },
    observation: {
      requests: [loaded("https://site.test/app.js"), loaded("https://site.test/site.css", "stylesheet")],
      requestsDropped: 0,
      errors: [],
      errorsDropped: 0,
      blocked: [],
      blockedDropped: 0,
      shape: shapeOf(),
      serviceWorker: false,
      unchanged: null,
      canaries: [],
      ...given,
    },
  };
}
