/** Policies that are drafted from what a visit needs. */
import { describe, expect, test } from "vitest";
import type { BlockedByPolicy, DocumentShape } from "../../../src/evidence/observation.ts";
import type { WayToAllow } from "../../../src/evidence/proof.ts";
import { parseCsp } from "../../../src/parse/csp.ts";
import { allowingDirectives, wayToAllow } from "../../../src/prove/allow.ts";
import { type Draft, type DraftNeeds, draftPolicy, needsOfAll, type PageNeeds, type Rung, rungs } from "../../../src/prove/draft.ts";
import { faultsOfPolicy } from "../../../src/prove/policy-faults.ts";
import { blockedBy, shapeOf } from "../../support/visited.ts";

const hash = (n: number) => `sha256-${String(n).padStart(43, "A")}=`;
const inlineScript = (n: number) => blockedBy({ kind: "inline", hash: hash(n) });
const code = (n: number, kind: DocumentShape["inline"][number]["kind"] = "script") => ({ kind, hash: hash(n), sample: "", nonced: false });

function needs(given: Partial<DraftNeeds> = {}, shape: Partial<DocumentShape> = {}): DraftNeeds {
  const shapes = [[shapeOf(shape), shapeOf(shape)]] as const;
  const common = { formTargets: [], today: new Map(), nonce: "Tk9OQ0U0Tk9OQ0U0Tk9OQ", charsMax: 512 };
  return { pageUrl: "https://site.test/", blocked: [], shapes, ...common, ...given };
}

function draft(rung: Rung, from: DraftNeeds): Draft {
  const drafted = draftPolicy(rung, from);
  if ("refused" in drafted) throw new Error(drafted.refused);
  return drafted;
}

const refusal = (rung: Rung, from: DraftNeeds) => (({ refused }) => refused)(draftPolicy(rung, from) as { readonly refused: string });
const part = (rung: Rung, from: DraftNeeds, directive: string) =>
  parseCsp([draft(rung, from).policy])[0]
    ?.get(directive)
    ?.join(" ");

test("a page without needs gets the strictest policy", () => {
  expect(draft("strict-hash", needs())).toEqual({
    policy: "default-src 'self'; script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    usesNonce: false,
    costs: [],
  });
});

describe("scripts", () => {
  const external = blockedBy({ url: "https://cdn.test/lib.js" });

  test("by hash, up to five", () => {
    const of = (count: number) => needs({ blocked: Array.from({ length: count }, (_, n) => inlineScript(n)) });
    expect(part("strict-hash", of(2), "script-src")).toBe(`'strict-dynamic' '${hash(0)}' '${hash(1)}'`);
    expect(draft("strict-hash", of(5)).policy.length).toBeLessThanOrEqual(512);
    expect(refusal("strict-hash", of(6))).toBe("many-hashes");
    expect(part("hosts", of(6), "script-src")).toBe("'self' 'nonce-Tk9OQ0U0Tk9OQ0U0Tk9OQ'");
  });

  test("by nonce, for files that the HTML names", () => {
    expect(refusal("strict-hash", needs({ blocked: [external] }))).toBe("external-scripts");
    expect(part("strict-nonce", needs({ blocked: [external] }), "script-src")).toBe("'nonce-Tk9OQ0U0Tk9OQ0U0Tk9OQ' 'strict-dynamic'");
    expect(part("hosts", needs({ blocked: [external] }), "script-src")).toBe("'self' cdn.test");
  });

  test("that trusted scripts add need nothing", () => {
    expect(part("strict-hash", needs({ blocked: [inlineScript(1), { ...external, byScript: true }] }), "script-src")).toBe(
      `'strict-dynamic' '${hash(1)}'`,
    );
  });

  test("that differ from visit to visit have no hash", () => {
    const shapes = [[shapeOf({ inline: [code(1)] }), shapeOf({ inline: [code(2)] })]] as const;
    expect(refusal("strict-hash", needs({ shapes, blocked: [inlineScript(1)] }))).toBe("changing-scripts");
    expect(draft("hosts", needs({ shapes, blocked: [inlineScript(1)] })).usesNonce).toBe(true);
  });

  test("eval and WebAssembly are allowed where the page uses them, and eval is a cost", () => {
    const evals = needs({ blocked: [blockedBy({ directive: "script-src", kind: "eval" })] });
    expect([part("strict-nonce", evals, "script-src"), draft("strict-nonce", evals).costs]).toEqual([
      "'nonce-Tk9OQ0U0Tk9OQ0U0Tk9OQ' 'strict-dynamic' 'unsafe-eval'",
      ["nonce", "eval"],
    ]);
    const wasm = needs({ blocked: [blockedBy({ directive: "script-src", kind: "wasm-eval" })] });
    expect(part("hosts", wasm, "script-src")).toBe("'self' 'wasm-unsafe-eval'");
  });

  test("event handlers by hash, a few; never by 'unsafe-inline'", () => {
    const of = (count: number) => needs({}, { handlers: count, inline: Array.from({ length: count }, (_, n) => code(n, "handler")) });
    expect(part("strict-nonce", of(1), "script-src-attr")).toBe(`'unsafe-hashes' '${hash(0)}'`);
    for (const rung of rungs) expect(refusal(rung, of(6))).toBe("handlers");
  });
});

describe("styles", () => {
  const style = (n: number) => blockedBy({ directive: "style-src-elem", kind: "inline", hash: hash(n) });

  test("elements by hash, then by nonce, then as they are", () => {
    expect(part("hosts", needs({ blocked: [style(1)] }), "style-src")).toBe(`'self' '${hash(1)}'`);
    const many = Array.from({ length: 6 }, (_, n) => style(n));
    expect(part("strict-nonce", needs({ blocked: many }), "style-src")).toBe("'self' 'nonce-Tk9OQ0U0Tk9OQ0U0Tk9OQ'");
    const added = needs({ blocked: many.map((one) => ({ ...one, byScript: true })) });
    expect([part("strict-nonce", added, "style-src"), draft("strict-nonce", added).costs]).toEqual([
      "'self' 'unsafe-inline'",
      ["nonce", "inline-styles"],
    ]);
  });

  test("hashes give way where the policy would be too long", () => {
    const of = (scripts: number, styles: number) =>
      needs({
        blocked: [...Array.from({ length: scripts }, (_, n) => inlineScript(n)), ...Array.from({ length: styles }, (_, n) => style(n))],
      });
    expect(part("strict-hash", of(3, 2), "style-src")).toBe(`'self' '${hash(0)}' '${hash(1)}'`);
    expect(part("strict-hash", of(5, 3), "style-src")).toBe("'self' 'unsafe-inline'");
    expect(draft("strict-hash", of(5, 3)).policy.length).toBeLessThanOrEqual(512);
  });

  test("attributes stay allowed, as a cost", () => {
    const attribute = blockedBy({ directive: "style-src-attr", kind: "inline", hash: hash(1) });
    expect([
      part("hosts", needs({ blocked: [attribute] }), "style-src-attr"),
      draft("hosts", needs({ blocked: [attribute] })).costs,
    ]).toEqual(["'unsafe-inline'", ["style-attributes"]]);
  });
});

test("hosts are origins, shortened; schemes without host stay schemes", () => {
  const of = (directive: string, url: string) => blockedBy({ directive, url });
  const blocked = [
    of("img-src", "https://img.test/a/b.png?c=1"),
    of("img-src", "data"),
    of("img-src", "https://site.test/own.png"),
    of("font-src", "https://site.test/own.woff2"),
    of("connect-src", "wss://live.test:8443/socket"),
    of("media-src", "blob"),
    of("frame-src", "http://plain.test/"),
    of("frame-src", ""),
  ];
  const { policy } = draft("hosts", needs({ blocked, formTargets: ["https://pay.test/send", "https://site.test/x"] }));
  expect(policy).toBe(
    "default-src 'self'; script-src 'self'; img-src 'self' data: img.test; connect-src 'self' wss://live.test:8443; media-src 'self' blob:; " +
      "frame-src 'self' data: http://plain.test; object-src 'none'; base-uri 'none'; form-action 'self' pay.test; frame-ancestors 'self'",
  );
});

test("what one page cannot show stays as it is today", () => {
  const today = new Map([
    ["frame-ancestors", ["https://partner.test"]],
    ["upgrade-insecure-requests", []],
    ["img-src", ["*"]],
  ]);
  const { policy } = draft("hosts", needs({ today }));
  expect(policy).toMatch(/frame-ancestors https:\/\/partner\.test/);
  expect(policy).toMatch(/upgrade-insecure-requests/);
  expect(policy).not.toMatch(/img-src|'self'; frame-ancestors 'self'/);
});

test("drafts have no fault", () => {
  const blocked = [
    inlineScript(1),
    blockedBy({ directive: "img-src", url: "data" }),
    blockedBy({ directive: "base-uri", url: "https://site.test/" }),
  ];
  for (const rung of rungs) expect(faultsOfPolicy(draft(rung, needs({ blocked })).policy)).toEqual([]);
});

describe("one policy for several pages", () => {
  const page = (given: Partial<PageNeeds> = {}, shape: Partial<DocumentShape> = {}): PageNeeds => ({
    blocked: [],
    shapes: [[shapeOf(shape), shapeOf(shape)]],
    formTargets: [],
    today: new Map(),
    ...given,
  });
  const all = (...pages: readonly PageNeeds[]) => needs(needsOfAll(pages));

  test("allows what any of them needs", () => {
    const image = blockedBy({ directive: "img-src", url: "https://img.test/a.png" });
    const font = blockedBy({ directive: "font-src", url: "https://font.test/a.woff2" });
    const pages = all(page({ blocked: [image], formTargets: ["https://pay.test/"] }), page({ blocked: [font, inlineScript(1)] }));
    expect(draft("strict-hash", pages).policy).toBe(
      `default-src 'self'; script-src 'strict-dynamic' '${hash(1)}'; img-src 'self' img.test; font-src 'self' font.test; ` +
        "object-src 'none'; base-uri 'none'; form-action 'self' pay.test; frame-ancestors 'self'",
    );
  });

  test("takes a nonce where their inline scripts together are too many, or one page's change", () => {
    const few = (from: number) => page({ blocked: [inlineScript(from), inlineScript(from + 1), inlineScript(from + 2)] });
    expect(refusal("strict-hash", all(few(0), few(3)))).toBe("many-hashes");
    expect(part("strict-hash", all(few(0), few(0)), "script-src")?.split(" ").length).toBe(4);
    const changing = page({ shapes: [[shapeOf({ inline: [code(1)] }), shapeOf({ inline: [code(2)] })]] });
    expect(refusal("strict-hash", all(page(), changing))).toBe("changing-scripts");
  });

  test("counts the event handlers of all, each once", () => {
    const handlers = (from: number) => page({}, { handlers: 3, inline: [0, 1, 2].map((n) => code(from + n, "handler")) });
    expect(part("hosts", all(handlers(0), handlers(0)), "script-src-attr")?.split(" ").length).toBe(4);
    expect(refusal("hosts", all(handlers(0), handlers(3)))).toBe("handlers");
  });

  const enforcing = (today: Readonly<Record<string, readonly string[]>>) => page({ today: new Map(Object.entries(today)) });
  test.each<[Readonly<Record<string, readonly string[]>>, Readonly<Record<string, readonly string[]>>, string, string | undefined]>([
    [{ "frame-ancestors": ["'none'"] }, {}, "frame-ancestors", "'self'"],
    [{ "frame-ancestors": ["'none'"] }, { "frame-ancestors": ["'none'"] }, "frame-ancestors", "'none'"],
    [{ "frame-ancestors": ["https://a.test"] }, { "frame-ancestors": ["'NONE'"] }, "frame-ancestors", "https://a.test"],
    [{ "upgrade-insecure-requests": [] }, {}, "upgrade-insecure-requests", undefined],
    [{ "upgrade-insecure-requests": [] }, { "upgrade-insecure-requests": [] }, "upgrade-insecure-requests", ""],
    [{ "trusted-types": ["a"] }, { "trusted-types": ["b"] }, "trusted-types", "a b"],
    [{ "require-trusted-types-for": ["'script'"] }, {}, "require-trusted-types-for", undefined],
    [{ "report-to": ["r"] }, {}, "report-to", "r"],
  ])("keeps of %j and %j what both can have: %s", (one, other, directive, expected) => {
    expect(part("hosts", all(enforcing(one), enforcing(other)), directive)).toBe(expected);
  });
});

test.each([
  ["default-src 'self'; script-src 'self' https://a.test 'nonce-abcdefgh'", []],
  ["  ", ["empty 1:1"]],
  ["default-src 'self';\nscript-scr 'self'", ["unknown-directive 2:1 script-src"]],
  ["script-src self", ["unquoted 1:12 'self'"]],
  ["script-src 'nonce-{nonce}' 'strict-dynamic'", []],
  ["script-src 'nonce-{once}'", ["invalid-source 1:12"]],
  ["script-src sha256-abc=", ["unquoted 1:12 'sha256-abc='"]],
  ["img-src 'self'; img-src *", ["repeated-directive 1:17"]],
  ["img-src 'self', img-src *", []],
  ["script-src 'sefl'", ["invalid-source 1:12"]],
  ["script-src 'self' img-src *", ["invalid-source 1:19 ; img-src"]],
  ["img-src https://t\u00fcr.test", ["non-ascii 1:9"]],
  ["img-src 'self' 'none'; script-src 'none' 'report-sample'", ["none-beside-others 1:16"]],
  ["img-src 'NONE' data:; font-src 'none'; script-src self", ["none-beside-others 1:9", "unquoted 1:51 'self'"]],
])("faults of %j", (policy, expected) => {
  const words = faultsOfPolicy(policy).map(({ kind, line, column, suggestion }) =>
    [kind, `${line}:${column}`, suggestion ?? ""].join(" ").trim(),
  );
  expect(words).toEqual(expected);
});

test("what is blocked is allowed together by directives that are each written once", () => {
  const blocked = [ownFile, inlineScript(1), inlineScript(2), image, blockedBy({ kind: "inline" }), attribute];
  const policies = ["default-src 'none'; img-src 'self'"];
  expect(allowingDirectives(blocked.map((one) => wayToAllow(one, "https://site.test/", policies)))).toEqual([
    `script-src 'self' '${hash(1)}' '${hash(2)}'`,
    "img-src 'self' img.test",
  ]);
});

const ownFile = blockedBy({ url: "https://site.test/app.js" });
const image = blockedBy({ directive: "img-src", url: "https://img.test/i.png" });
const attribute = blockedBy({ kind: "inline", directive: "style-src-attr", hash: hash(1) });
test.each<[string, BlockedByPolicy, WayToAllow["way"], string]>([
  ["script-src 'self'", blockedBy({ url: "https://cdn.test/lib.js" }), "source", "script-src 'self' cdn.test"],
  ["script-src 'none'", ownFile, "in-place-of-none", "script-src 'self'"],
  ["script-src 'NONE' 'report-sample'", ownFile, "in-place-of-none", "script-src 'report-sample' 'self'"],
  ["script-src", ownFile, "in-place-of-none", "script-src 'self'"],
  ["script-src-elem 'none'; script-src 'self'", ownFile, "in-place-of-none", "script-src-elem 'self'"],
  ["default-src 'none'", ownFile, "directive", "script-src 'self'"],
  ["default-src 'none'; img-src 'none'", image, "in-place-of-none", "img-src img.test"],
  ["default-src 'self' cdn.test", image, "directive", "img-src 'self' cdn.test img.test"],
  ["default-src 'self' 'unsafe-inline' 'nonce-abcdefgh'", image, "directive", "img-src 'self' img.test"],
  ["default-src *, img-src 'none'", image, "in-place-of-none", "img-src img.test"],
  ["img-src img.test, default-src 'self'", image, "directive", "img-src 'self' img.test"],
  ["script-src 'none'", inlineScript(1), "in-place-of-none", `script-src '${hash(1)}'`],
  ["script-src 'nonce-abcdefgh' 'strict-dynamic'", ownFile, "nonce", "script-src "],
  ["script-src 'strict-dynamic'", inlineScript(1), "source", `script-src 'strict-dynamic' '${hash(1)}'`],
  ["default-src 'none'", blockedBy({ kind: "eval", directive: "script-src" }), "weakens", "script-src 'unsafe-eval'"],
  ["script-src 'none'", blockedBy({ kind: "wasm-eval", directive: "script-src" }), "in-place-of-none", "script-src 'wasm-unsafe-eval'"],
  ["style-src 'none'", attribute, "weakens", "style-src-attr 'unsafe-inline'"],
  ["style-src-attr 'none'", attribute, "weakens", "style-src-attr 'unsafe-inline'"],
  ["base-uri 'none'", blockedBy({ directive: "base-uri", url: "https://site.test/" }), "in-place-of-none", "base-uri 'self'"],
  ["form-action 'none'", blockedBy({ directive: "form-action", url: "https://pay.test/x" }), "in-place-of-none", "form-action pay.test"],
  ["child-src 'none'", blockedBy({ directive: "frame-src", url: "https://f.test/" }), "directive", "frame-src f.test"],
])("%s: the way to allow leaves a valid policy that does: %j", (policy, blocked, way, becomes) => {
  const { directive, value, ...allowed } = wayToAllow(blocked, "https://site.test/", policy.split(", "));
  expect([allowed.way, `${directive} ${value}`]).toEqual([way, becomes]);
  expect(faultsOfPolicy(`${directive} ${value}`)).toEqual([]);
});

test.each([
  [blockedBy({ url: "https://cdn.test/lib.js" }), { way: "source", source: "cdn.test" }],
  [inlineScript(1), { way: "source", source: `'${hash(1)}'` }],
  [blockedBy({ kind: "eval", directive: "script-src" }), { way: "weakens", source: "'unsafe-eval'" }],
  [blockedBy({ kind: "inline", directive: "script-src-attr" }), { way: "move-handler" }],
  [blockedBy({ kind: "inline", directive: "style-src-attr", hash: hash(1) }), { way: "weakens", source: "'unsafe-inline'" }],
  [blockedBy({ kind: "inline" }), { way: "unknown-code" }],
  [blockedBy({ kind: "trusted-types", directive: "require-trusted-types-for" }), { way: "trusted-types" }],
])("way to allow: %j", (blocked, expected) => {
  expect(wayToAllow(blocked, "https://site.test/", [])).toMatchObject(expected);
});
