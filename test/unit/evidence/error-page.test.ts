/** An error page is not read as the page: which readings fail, why, and what is kept. */
import { describe, expect, test } from "vitest";
import { failed, isErrorPage, withoutErrorPage } from "../../../src/evidence/evidence.ts";
import { answer, type EvidenceGiven, evidence, type HeadersGiven } from "../../support/evidence.ts";

const answered = (status: number, headers: HeadersGiven = {}): EvidenceGiven => ({ page: { status }, headers });
const basic = { "WWW-Authenticate": 'Basic realm="x"' };

function pageOf(given: EvidenceGiven) {
  const { navigation, page, dom, crossOrigin } = evidence(given);
  return { navigation, page, dom, crossOrigin };
}

describe("a page with status", () => {
  test.each([
    [400, {}, "client-error"],
    [401, {}, "client-error"],
    [401, basic, "sign-in-required"],
    [403, basic, "client-error"],
    [404, {}, "client-error"],
    [410, {}, "client-error"],
    [451, {}, "client-error"],
    [499, {}, "client-error"],
  ] as const)("%i with %j fails: %s", (status, headers, because) => {
    const { navigation, ...others } = withoutErrorPage(pageOf(answered(status, headers)));
    expect(others).toEqual({ page: failed(because), dom: failed(because), crossOrigin: failed(because) });
    expect(navigation).toMatchObject({ status: "read", facts: { errorAnswer: answer({ url: "https://site.example/", status, headers }) } });
    expect(isErrorPage(because)).toBe(true);
  });

  test.each([200, 204, 304, 399, 500, 503])("%i is left as it is", (status) => {
    const given = pageOf(answered(status));
    expect(withoutErrorPage(given)).toBe(given);
  });
});

test.each([{ page: "challenged" }, { navigation: "timeout", page: "timeout" }] as const)(
  "failed readings %j are left as they are",
  (failures) => {
    const given = pageOf(failures);
    expect(withoutErrorPage(given)).toBe(given);
  },
);
