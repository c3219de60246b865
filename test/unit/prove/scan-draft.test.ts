/** The policy of a report's lines, drafted from what one scan saw. */
import { describe, expect, test } from "vitest";
import { builtInCatalog } from "../../../src/catalog/catalog.ts";
import { type Evidence, failed } from "../../../src/evidence/evidence.ts";
import type { InlineCodeFacts, LoadedOrigin, RequestsFacts } from "../../../src/evidence/page-facts.ts";
import { parseCsp } from "../../../src/parse/csp.ts";
import { draftOfScan } from "../../../src/prove/scan-draft.ts";
import { performJudge } from "../../../src/scan/judge-task.ts";
import { evidence } from "../../support/evidence.ts";

const hash = (n: number) => `sha256-${String(n).padStart(43, "A")}=`;
const noCode: InlineCodeFacts = { scripts: 0, styles: 0, handlers: 0, styleAttributes: 0, hashes: [] };
const loads = (...pairs: readonly (readonly [kind: string, origin: string])[]): readonly LoadedOrigin[] =>
  pairs.map(([kind, origin]) => ({ kind, origin }));

interface Seen {
  readonly origins?: readonly LoadedOrigin[] | undefined;
  readonly code?: InlineCodeFacts | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requests?: Partial<RequestsFacts>;
}

function seen({ origins = [], code = noCode, headers = {}, requests = {} }: Seen = {}): Evidence {
  const given = evidence({ headers });
  if (given.requests.status === "failed" || given.markup.status === "failed") throw new Error("the page was not read");
  return {
    ...given,
    requests: { status: "read", facts: { ...given.requests.facts, loadedOrigins: origins, loadedOriginsDropped: 0, ...requests } },
    markup: { status: "read", facts: { ...given.markup.facts, inlineCode: code } },
  };
}

const { finalUrl } = (({ navigation }) => (navigation.status === "read" ? navigation.facts : { finalUrl: "" }))(seen());
const own = new URL(finalUrl).origin;

function draft(from: Seen = {}) {
  const drafted = draftOfScan(seen(from));
  if (drafted === null) throw new Error("no draft");
  return { ...drafted, of: (name: string) => parseCsp([drafted.policy])[0]?.get(name)?.join(" ") };
}

describe("the policy", () => {
  test("names what the page loads, by kind", () => {
    const origins = loads(
      ["script", own],
      ["script", "https://cdn.test"],
      ["image", "data:"],
      ["image", "http://img.test:8080"],
      ["xhr", "https://api.test"],
      ["websocket", "wss://live.test"],
      ["document", "https://frame.test"],
      ["other", "https://ignored.test"],
    );
    const { of, policy, blocks, costs } = draft({ origins });
    expect(of("script-src")).toBe("'self' cdn.test");
    expect(of("img-src")).toBe("'self' data: http://img.test:8080");
    expect(of("connect-src")).toBe("'self' api.test wss://live.test");
    expect(of("frame-src")).toBe("'self' frame.test");
    expect(policy).not.toContain("ignored.test");
    expect([blocks, costs]).toEqual([{ scripts: 0, handlers: 0, origins: 0 }, ["data-images"]]);
  });

  test("allows a few inline scripts by hash, and counts what it would block", () => {
    const of = (kind: "script" | "handler", count: number) => Array.from({ length: count }, (_, n) => ({ kind, hash: hash(n) }));
    const few = draft({ code: { ...noCode, scripts: 2, hashes: of("script", 2) } });
    expect([few.of("script-src"), few.blocks.scripts]).toEqual([`'self' '${hash(0)}' '${hash(1)}'`, 0]);
    const many = draft({ code: { ...noCode, scripts: 30, hashes: of("script", 6) } });
    expect([many.of("script-src"), many.blocks]).toEqual(["'self'", { scripts: 30, handlers: 0, origins: 0 }]);
    const both = draft({ code: { ...noCode, scripts: 1, handlers: 40, hashes: [...of("script", 1), ...of("handler", 6)] } });
    expect([both.of("script-src"), both.blocks]).toEqual([`'self' '${hash(0)}'`, { scripts: 0, handlers: 40, origins: 0 }]);
  });

  test("leaves styles that it cannot name open, and says so", () => {
    const { of, costs } = draft({ code: { ...noCode, styles: 9, styleAttributes: 3 } });
    expect([of("style-src"), costs]).toEqual(["'self' 'unsafe-inline'", ["inline-styles", "data-images"]]);
    expect(draft({ code: { ...noCode, styleAttributes: 3 } }).costs).toEqual(["style-attributes", "data-images"]);
  });

  test("stays as short as scans read: hashes give way before hosts, and hosts are left out at last", () => {
    const hosts = (count: number) => loads(...Array.from({ length: count }, (_, n) => ["image", `https://host-${n}.cdn.test`] as const));
    const hashes = Array.from({ length: 5 }, (_, n) => ({ kind: "script" as const, hash: hash(n) }));
    const { policy, blocks } = draft({ origins: hosts(12), code: { ...noCode, scripts: 5, hashes } });
    expect(policy.length).toBeLessThanOrEqual(512);
    expect(blocks.scripts).toBe(5);
    const scripts = loads(["script", "https://lib.test"], ["font", "https://font.test"]);
    const crowded = draft({ origins: [...scripts, ...hosts(40), ...loads(["image", own])] });
    expect([crowded.of("script-src"), crowded.of("font-src"), crowded.of("img-src")]).toEqual([
      "'self' lib.test",
      "'self' font.test",
      "'self' data:",
    ]);
    expect(crowded.blocks).toEqual({ scripts: 0, handlers: 0, origins: 40 });
    const code = hosts(40).map(({ origin }) => ({ kind: "script", origin }));
    expect(draftOfScan(seen({ origins: code }))).toBeNull();
  });

  test("holds no directive of a hostile host", () => {
    const hostile = loads(
      ["image", "https://a;sandbox"],
      ["script", "https://a,default-src"],
      ["script", "https://*"],
      ["image", "https://[::1]"],
    );
    const { policy, blocks, of } = draft({ origins: hostile });
    expect(policy).not.toMatch(/sandbox|,|\*|\[/);
    expect([of("script-src"), blocks.origins]).toEqual(["'self'", 4]);
  });

  test("keeps out what the policy of today blocks, and keeps its framing unless that is open", () => {
    const requests = { cspViolations: [{ directive: "img-src", blocked: "https://blocked.test/i.png", reportOnly: false }] };
    const headers = { "content-security-policy": "img-src 'self'; frame-ancestors https://partner.test" };
    const { of } = draft({ origins: loads(["image", "https://blocked.test"]), headers, requests });
    expect([of("img-src"), of("frame-ancestors")]).toEqual(["'self' data:", "https://partner.test"]);
    expect(draft({ headers: { "content-security-policy": "frame-ancestors *" } }).of("frame-ancestors")).toBe("'self'");
  });
});

describe("there is none", () => {
  test.each([
    ["for a page that was not read", { ...seen(), dom: failed("timeout") } as Evidence],
    ["for evidence of older versions", evidence()],
    ["where the scan does not know all that the page loads", seen({ requests: { loadedOriginsDropped: 1 } })],
  ])("%s", (_name, given) => {
    expect(draftOfScan(given)).toBeNull();
  });
});

describe("the judge", () => {
  const catalog = builtInCatalog();
  const judged = (given: Evidence) => performJudge({ evidence: given, hung: [] }, catalog, () => {}, draftOfScan);

  test("gives the score of the page that sends the draft, enforced", () => {
    const origins = loads(["script", "https://cdn.test"]);
    const { draft: drafted, lines, result } = judged(seen({ origins }));
    expect(lines?.codes).toContain("security.missing-header.content-security-policy");
    expect(lines?.score).toBeGreaterThan(result.score ?? 100);
    const general = performJudge({ evidence: seen({ origins }), hung: [] }, catalog, () => {});
    expect([general.draft, drafted?.policy]).toEqual([null, draft({ origins }).policy]);
    const sent = (name: string) => judged(seen({ origins, headers: { [name]: drafted?.policy ?? "" } })).result;
    expect(sent("content-security-policy").score).toBeGreaterThan(result.score ?? 100);
    // A policy that only reports has no effect on the score.
    expect(sent("content-security-policy-report-only").score ?? 100).toBeLessThanOrEqual(result.score ?? 0);
  });
});
