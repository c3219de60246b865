/** An error page is not read as the page: which readings fail, why, and what is kept. */
import { describe, expect, test } from "vitest";
import { failed, isErrorPage, type ProbeFailure, withoutErrorPage } from "../../../src/evidence/evidence.ts";
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

  test.each([200, 206, 300, 304, 399, 500, 503])("%i is left as it is", (status) => {
    const given = pageOf(answered(status));
    expect(withoutErrorPage(given)).toBe(given);
  });
});

describe("an answer without a page", () => {
  const typed = (mediaType: string): EvidenceGiven => ({ page: { mediaType } });
  const disposed = (...values: string[]): EvidenceGiven => ({ headers: { "Content-Disposition": values } });

  test.each<[ProbeFailure, EvidenceGiven]>([
    ["no-content", answered(204)],
    ["no-content", answered(205)],
    ...[301, 302, 303, 307, 308].map((status): [ProbeFailure, EvidenceGiven] => ["no-location", answered(status)]),
    ["no-location", answered(301, { Location: "" })],
    ["download", typed("application/pdf")],
    ["download", disposed("attachment")],
    ["download", disposed("ATTACHMENT ;filename=a.html")],
    ["download", disposed("form-data; name=a")],
    ["client-error", answered(404, { "Content-Disposition": "attachment" })],
  ])("%s: %j", (because, given) => {
    const { navigation, ...others } = withoutErrorPage(pageOf(given));
    expect(others).toEqual({ page: failed(because), dom: failed(because), crossOrigin: failed(because) });
    expect(navigation).toMatchObject({ status: "read", facts: { errorAnswer: { url: "https://site.example/" } } });
    expect(isErrorPage(because)).toBe(true);
  });

  test.each<EvidenceGiven>([
    disposed("inline; filename=attachment"),
    disposed("filename=a.html"),
    disposed(""),
    disposed("attachment", "inline"),
    ...["text/plain", "application/json", "image/png", "application/pdf+xml"].map(typed),
  ])("%j is left as it is", (given) => {
    const readings = pageOf(given);
    expect(withoutErrorPage(readings)).toBe(readings);
  });

  test("is what the browser did not show", () => {
    expect(withoutErrorPage(pageOf(typed("application/zip")), true).page).toEqual(failed("download"));
    expect(withoutErrorPage(pageOf(answered(403)), true).page).toEqual(failed("client-error"));
  });
});

test.each([{ page: "challenged" }, { navigation: "timeout", page: "timeout" }] as const)(
  "failed readings %j are left as they are",
  (failures) => {
    const given = pageOf(failures);
    expect(withoutErrorPage(given)).toBe(given);
  },
);
