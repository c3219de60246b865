/** Results of workers, as packed and as a hostile or broken worker sends them. */
import { readFileSync } from "node:fs";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { failed, headerLimitOf, read } from "../../../src/evidence/evidence.ts";
import { packedBytesMax, partBytesMax } from "../../../src/fleet/messages.ts";
import {
  createResultAssembly,
  type ExpectedResult,
  type PackedResult,
  packResult,
  resultBytesMax,
  sha256Of,
  unpackResult,
} from "../../../src/fleet/results.ts";
import { type Gathered, unreachableBecause } from "../../../src/scan/task.ts";
import { knownScans, pixelJpeg, shopPicture } from "../../support/finished-scans.ts";
import { sentBytes, sentJson, sentResult } from "../../support/sent-results.ts";

const { evidence } = knownScans.shop;
const screenshot = new Uint8Array(readFileSync(shopPicture));
const gathered: Gathered = {
  evidence,
  screenshot,
  timings: { page: 1_612, dnsIpv6: 12, total: 2_340 },
  unreachable: null,
  browserBroke: false,
  refusals: ["a destination was refused"],
};
const expected: ExpectedResult = {
  url: evidence.subject.url,
  scannedAt: evidence.subject.scannedAt,
  headerCharsMax: headerLimitOf(evidence.subject),
};
const packed = packResult(gathered);
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const manifestOf = ({ manifest }: PackedResult) => json(manifest);

function received({ parts, manifest }: PackedResult, terms = expected) {
  const assembly = createResultAssembly();
  for (const [at, part] of parts.entries()) expect(assembly.add(at, part)).toBe("more");
  expect(assembly.add(null, json(manifest))).toBe("complete");
  return unpackResult(assembly, terms);
}

const honest = { evidence, timings: gathered.timings, refusals: [] };

describe("a result comes back as it was gathered", () => {
  test.each(Object.entries(knownScans))("%s", (_name, { evidence: known }) => {
    const { url, scannedAt } = known.subject;
    const result = { ...gathered, evidence: known, unreachable: unreachableBecause(known) };
    expect(received(packResult(result), { url, scannedAt, headerCharsMax: headerLimitOf(known.subject) })).toEqual({ gathered: result });
  });

  test("of a scan that could not be gathered", () => {
    expect(received(packResult("browser-unavailable"))).toEqual({ gathered: "browser-unavailable" });
  });

  test("without a screenshot", () => {
    expect(received(packResult({ ...gathered, screenshot: null }))).toEqual({ gathered: { ...gathered, screenshot: null } });
  });

  test("with other header limits", () => {
    const subject = { ...evidence.subject, headerValueCharsMax: 4_096 };
    const result = { ...gathered, evidence: { ...evidence, subject } };
    expect(received(packResult(result), { ...expected, headerCharsMax: 4_096 })).toEqual({ gathered: result });
  });

  test("with evidence of more than 2 MB, in several parts", () => {
    // Hexadecimal digits of sums compress to about half.
    const noise = (at: number) => Array.from({ length: 256 }, (_, part) => sha256Of(Buffer.from(`${at} ${part}`))).join("");
    const header = (at: number) => ({ name: "x-noise", value: noise(at), truncated: false });
    const headers = Array.from({ length: 150 }, (_, at) => header(at));
    const page = evidence.page.status === "read" ? evidence.page.facts : null;
    if (page === null) throw new Error("the shop has a page");
    const large = { ...evidence, page: read({ ...page, headers }) };
    const result = packResult({ ...gathered, evidence: large });
    expect(JSON.stringify(large).length).toBeGreaterThan(2_000_000);
    expect(result.manifest.result.parts).toBeGreaterThan(1);
    expect(result.parts.every(({ length }) => length <= partBytesMax)).toBe(true);
    expect(received(result)).toEqual({ gathered: { ...gathered, evidence: large } });
  });

  test("whatever the order of its parts, and with parts twice", () => {
    const assembly = createResultAssembly();
    const last = packed.parts.length - 1;
    expect(assembly.add(null, manifestOf(packed))).toBe("more");
    for (const [at, part] of [...packed.parts.entries()].reverse()) {
      const state = at === 0 ? "complete" : "more";
      expect(assembly.add(at, part)).toBe(state);
      expect(assembly.add(at, part.slice())).toBe(state);
    }
    expect(assembly.add(null, manifestOf(packed))).toBe("complete");
    expect(last).toBeGreaterThan(0);
    expect(unpackResult(assembly, expected)).toEqual({ gathered });
  });
});

describe("a result that exceeds the limits is packed as failed", () => {
  test("with too many bytes", () => {
    const page = failed("timeout");
    const timings = { total: 1 };
    const huge = { ...evidence, page, dom: { status: "read", facts: "x".repeat(resultBytesMax) } } as unknown as Gathered["evidence"];
    expect(received(packResult({ ...gathered, evidence: huge, timings }))).toEqual({ gathered: "too-large" });
  });

  test("but not for many refusals, which are cut", () => {
    const refusals = Array.from({ length: 1_000 }, (_, at) => `${at} \n ${"x".repeat(1_000)}`);
    const back = received(packResult({ ...gathered, refusals }));
    const texts = "gathered" in back && typeof back.gathered !== "string" ? back.gathered.refusals : [];
    expect(texts).toHaveLength(50);
    expect(texts[1]).toBe(`1 \ufffd ${"x".repeat(496)}`);
  });
});

describe("parts that do not fit are refused", () => {
  const [first = new Uint8Array(), ...rest] = packed.parts;

  test("a lost part", () => {
    const assembly = createResultAssembly();
    for (const [at, part] of rest.entries()) assembly.add(at + 1, part);
    expect(assembly.add(null, manifestOf(packed))).toBe("more");
    expect(unpackResult(assembly, expected)).toEqual({ fault: "sent an incomplete result" });
  });

  test.each([
    [
      "two different parts",
      [
        [0, first],
        [0, Buffer.from("other")],
      ],
      "sent two different parts 0",
    ],
    [
      "two manifests",
      [
        [null, manifestOf(packed)],
        [null, manifestOf(sentResult(first))],
      ],
      "sent two different manifests",
    ],
    ["an empty part", [[0, new Uint8Array()]], "sent part 0 with 0 bytes"],
    ["a large part", [[0, new Uint8Array(partBytesMax + 1)]], "sent part 0 with 900001 bytes"],
    ["a far part", [[1_000, first]], "sent part 1000, but a result has 6 parts at most"],
    [
      "a part beyond the manifest",
      [
        [5, first],
        [null, manifestOf(packed)],
      ],
      "sent part 5, but its manifest states 2 parts",
    ],
    [
      "a part after it",
      [
        [null, manifestOf(packed)],
        [2, first],
      ],
      "sent part 2, but its manifest states 2 parts",
    ],
    ["a manifest that is no JSON", [[null, Buffer.from("{")]], "sent an invalid manifest"],
    ["a large manifest", [[null, json({ ...packed.manifest, more: "x".repeat(2_000) })]], "sent an invalid manifest"],
    ["a manifest of another protocol", [[null, json({ ...packed.manifest, v: 2 })]], "sent an invalid manifest"],
    [
      "a manifest with wrong counts",
      [[null, json({ ...packed.manifest, result: { ...sentBytes(first), parts: 2 } })]],
      "sent a manifest whose number of parts does not fit its bytes",
    ],
    ["a large result", [[null, json(sentResult(new Uint8Array(packedBytesMax + 1)).manifest)]], "sent an invalid manifest"],
    [
      "a large screenshot",
      [[null, json(sentResult(first, new Uint8Array(400_001)).manifest)]],
      "sent a screenshot of more than 400000 bytes",
    ],
  ] as const)("%s", (_name, steps, fault) => {
    const assembly = createResultAssembly();
    const states = steps.map(([part, bytes]) => assembly.add(part, bytes));
    expect(states.at(-1)).toEqual({ fault });
    expect(assembly.bytes()).toBe(0);
    // It stays refused.
    expect(assembly.add(0, first)).toEqual({ fault });
    expect(unpackResult(assembly, expected)).toEqual({ fault: "sent an incomplete result" });
  });

  test("more bytes than a result may have, as in 100 MB", () => {
    const assembly = createResultAssembly();
    const part = Buffer.alloc(partBytesMax, 1);
    let sentCount = 0;
    while (assembly.add(sentCount, part) === "more") sentCount++;
    expect(sentCount * partBytesMax).toBeLessThanOrEqual(packedBytesMax + 400_000);
    expect(assembly.bytes()).toBe(0);
  });
});

describe("bytes that are no result are refused", () => {
  const compressed = zstdCompressSync(json(honest));
  const invalid = "sent a result that is not JSON of an object";
  const notZstd = `sent a result that is not zstd, or has more than ${resultBytesMax} bytes`;
  const picture = Buffer.from(screenshot);
  const wide = Buffer.from(picture);
  const frameAt = wide.indexOf(Buffer.from([0xff, 0xc0]));
  wide.writeUInt16BE(1_281, frameAt + 7);

  test.each([
    [
      "a wrong sum",
      sentResult(compressed, null, { result: sentBytes(Buffer.from(compressed).fill(0)) }),
      "sent a result with a wrong SHA-256",
    ],
    [
      "a wrong sum of the screenshot",
      sentResult(compressed, picture, { screenshot: sentBytes(wide) }),
      "sent a screenshot with a wrong SHA-256",
    ],
    [
      "fewer bytes",
      sentResult(compressed, null, { result: { ...sentBytes(compressed), bytes: compressed.length + 1 } }),
      `sent ${compressed.length} bytes of the result, but its manifest states ${compressed.length + 1}`,
    ],
    [
      "another version",
      sentResult(compressed, null, { evidenceVersion: 7 }),
      "sent evidence of version 7, which this server does not read",
    ],
    ["truncated zstd", sentResult(compressed.subarray(0, -20)), invalid],
    ["no zstd", sentResult(json(honest)), notZstd],
    ["100 MB in a few kilobytes", sentResult(zstdCompressSync(Buffer.alloc(100 * 1024 ** 2))), notZstd],
    ["a large window", sentResult(Buffer.from("28b52ffda091b2eb01b43a07", "hex")), notZstd],
    ["wrong JSON", sentResult(zstdCompressSync(Buffer.from("{"))), invalid],
    ["JSON of a text", sentJson("evidence"), invalid],
    ["millions of lists", sentResult(zstdCompressSync(Buffer.from(`[${"[],".repeat(2_000_000)}0]`))), "sent a result with too many values"],
    ["deep lists", sentResult(zstdCompressSync(Buffer.from("[".repeat(1_000) + "]".repeat(1_000)))), "sent a result with too many values"],
    ["an unknown code", sentJson({ failed: "hacked" }), "sent invalid timings"],
    ["a code beside evidence, as a list", sentJson([honest]), "sent invalid timings"],
    ["timings of a foreign name", sentJson({ ...honest, timings: { "a\nb": 1 } }), "sent invalid timings"],
    ["timings without end", sentJson({ ...honest, timings: { total: 1e9 } }), "sent invalid timings"],
    ["a prototype", sentResult(zstdCompressSync(Buffer.from('{"timings":{"__proto__":1}}'))), "sent invalid timings"],
    ["many refusals", sentJson({ ...honest, refusals: Array(51).fill("x") }), "sent invalid refusals"],
    ["refusals that are no texts", sentJson({ ...honest, refusals: [{}] }), "sent invalid refusals"],
    ["no evidence", sentJson({ ...honest, evidence: null }), "sent a result without evidence"],
    ["a JPEG that is none", sentJson(honest, Buffer.from("\xff\xd8\xff<script>", "latin1")), "sent a screenshot that is not a JPEG image"],
    ["a PNG", sentJson(honest, Buffer.from("\x89PNG\r\n\x1a\n", "latin1")), "sent a screenshot that is not a JPEG image"],
    [
      "a JPEG with a page behind it",
      sentJson(honest, Buffer.concat([picture, Buffer.from("<html>")])),
      "sent a screenshot that is not a JPEG image",
    ],
    ["half a JPEG", sentJson(honest, picture.subarray(0, 9_000)), "sent a screenshot that is not a JPEG image"],
    ["a wide JPEG", sentJson(honest, wide), "sent a screenshot of 1281 x 800 pixels, but 1280 x 800 is the largest"],
  ] as const)("%s", (_name, result, fault) => {
    expect(received(result)).toEqual({ fault });
  });

  test("a small JPEG is fine", () => {
    expect(received(sentJson(honest, pixelJpeg))).toHaveProperty("gathered.screenshot");
  });
});

describe("what the head knows itself is not taken from the worker", () => {
  test("whether the page was reachable", () => {
    const unreached = { ...evidence, navigation: failed("unresolved"), tls: failed("unresolved") };
    expect(received(sentJson({ ...honest, evidence: unreached, unreachable: null }))).toHaveProperty("gathered.unreachable", "unresolved");
  });

  test("that credentials are redacted", () => {
    const dom =
      evidence.dom.status === "read" ? read({ ...evidence.dom.facts, title: "//admin:hunter22@site.example/?token=hunter22" }) : null;
    const back = received(sentJson({ ...honest, evidence: { ...evidence, dom } }));
    expect(JSON.stringify(back)).not.toContain("hunter22");
  });

  test("that texts have no unpaired surrogates", () => {
    const dom = evidence.dom.status === "read" ? read({ ...evidence.dom.facts, title: "\ud800" }) : null;
    expect(received(sentJson({ ...honest, evidence: { ...evidence, dom } }))).toHaveProperty("gathered.evidence.dom.facts.title", "\ufffd");
  });

  test("that an error page is not the page", () => {
    const page = evidence.page.status === "read" ? read({ ...evidence.page.facts, status: 404 }) : null;
    const back = received(sentJson({ ...honest, evidence: { ...evidence, page } }));
    expect(back).toHaveProperty("gathered.evidence.page", failed("client-error"));
  });
});
