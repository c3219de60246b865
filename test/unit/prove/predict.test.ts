/** Evidence with other headers, as the judge gets it for a prediction. */
import { expect, test } from "vitest";
import { failed } from "../../../src/evidence/evidence.ts";
import { predictedEvidence } from "../../../src/prove/predict.ts";
import { evidence } from "../../support/evidence.ts";
import { visitOf } from "../../support/visited.ts";

const scanned = evidence({ headers: { "content-security-policy": "img-src *", "x-frame-options": "DENY", server: "x" } });
const headersOf = (from: typeof scanned) => (from.page.status === "read" ? from.page.facts.headers : []);

test("fields replace those of their name, in any case, and null takes them away", () => {
  const predicted = predictedEvidence(
    scanned,
    [
      { name: "Content-Security-Policy", value: "default-src 'self'" },
      { name: "SERVER", value: null },
    ],
    null,
  );
  const names = headersOf(predicted).map(({ name, value }) => `${name}: ${value}`);
  expect(names).toContain("Content-Security-Policy: default-src 'self'");
  expect(names).toContain("x-frame-options: DENY");
  expect(names.join("\n")).not.toMatch(/img-src|server/);
  expect({ ...predicted, page: null }).toEqual({ ...scanned, page: null } as unknown as typeof predicted & { page: null });
});

test("a value over the limit of scans is cut as there", () => {
  const [field] = headersOf(predictedEvidence(scanned, [{ name: "content-security-policy", value: "x".repeat(600) }], null)).slice(-1);
  expect(field).toEqual({ name: "content-security-policy", value: "x".repeat(512), truncated: true });
});

test("the document is that of the visit, if all of it was read", () => {
  const { dom } = visitOf().readings;
  const { markup, requests, scripts, scriptLibraries } = scanned;
  const enforced = { dom, markup, requests, scripts, scriptLibraries };
  expect(predictedEvidence(scanned, [], enforced).dom).toBe(dom);
  expect(predictedEvidence(scanned, [], { ...enforced, markup: failed("timeout") }).dom).toBe(scanned.dom);
});

test("a page that was not read stays unread", () => {
  const unread = { ...scanned, page: failed("timeout") };
  expect(predictedEvidence(unread, [{ name: "x-frame-options", value: "DENY" }], null)).toBe(unread);
});
