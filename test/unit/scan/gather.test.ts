/** Reachability of a scan; `engine.test.ts` tests gathering as a whole. */
import { describe, expect, test } from "vitest";
import { unreachableBecause } from "../../../src/scan/task.ts";
import { type EvidenceGiven, evidence } from "../../support/evidence.ts";

describe("a scan", () => {
  test.each<[string, EvidenceGiven, string | null]>([
    ["is judged when the browser got a response", {}, null],
    ["is judged when the response was a server error", { page: "server-error" }, null],
    ["is judged when only our own client completed TLS", { navigation: "tls" }, null],
    ["is judged when browsers refuse the server's TLS", { navigation: "tls-incompatible" }, null],
    [
      "is judged when http leads to a server whose TLS browsers refuse",
      { url: "http://site.example/", navigation: "tls-incompatible" },
      null,
    ],
    ["is unreachable when nobody completed TLS", { navigation: "tls-incompatible", tls: "tls" }, "tls"],
    ["is judged when the browser timed out but TLS worked", { navigation: "timeout" }, null],
    ["is unreachable when both failed", { navigation: "refused", tls: "refused" }, "refused"],
    ["is unreachable when TLS works only on another port", { url: "http://site.example/", navigation: "timeout" }, "timeout"],
    ["is blocked despite other readings", { navigation: "blocked" }, "blocked"],
    ["takes the error code from the browser", { navigation: "redirects", tls: "timeout" }, "redirects"],
    ["is unreachable when the response is not a page", { navigation: "unsupported", tls: "tls" }, "invalid"],
  ])("%s", (_words, given, code) => {
    expect(unreachableBecause(evidence(given))).toBe(code as never);
  });
});
