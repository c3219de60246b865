/** When a scan counts as unreachable; gathering itself is tried with everything real in `engine.test.ts`. */
import { describe, expect, test } from "vitest";
import { unreachableBecause } from "../../../src/scan/gather.ts";
import { type EvidenceGiven, evidence } from "../../support/evidence.ts";

describe("a scan", () => {
  test.each<[string, EvidenceGiven, string | null]>([
    ["is judged when the browser got an answer", {}, null],
    ["is judged when the answer was an error of the server", { page: "server-error" }, null],
    ["is judged when our own client could speak TLS where the browser could not", { navigation: "tls" }, null],
    ["is judged when the browser was too slow for a server that speaks TLS", { navigation: "timeout" }, null],
    ["is unreachable when neither got through", { navigation: "refused", tls: "refused" }, "refused"],
    [
      "is unreachable when TLS speaks at another door than the one that was scanned",
      { url: "http://site.example/", navigation: "timeout" },
      "timeout",
    ],
    ["is blocked whatever else was read", { navigation: "blocked" }, "blocked"],
    ["is unreachable by the browser's word, not by that of the other client", { navigation: "redirects", tls: "timeout" }, "redirects"],
    ["is unreachable when the page was no page", { navigation: "unsupported", tls: "tls" }, "invalid"],
  ])("%s", (_words, given, code) => {
    expect(unreachableBecause(evidence(given))).toBe(code as never);
  });
});
