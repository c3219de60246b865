/** Limits of GitHub for SARIF files: the worst is kept, and the file says what was cut. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { findings, noticesOf, readSarif, scanWith } from "./limited-sarif.ts";

test("the worst 25,000 results are kept, accepted ones last", () => {
  const many = Array.from({ length: 4 }, () => findings).flat();
  const [first] = findings;
  const marks = new Map([[first?.code ?? "", { accepted: { reason: "Known.", until: null }, inBaseline: null }]]);
  const urls = Array.from({ length: 100 }, (_, at) => `https://host.example/${at}`);
  const { runs } = readSarif(urls.map((url) => scanWith(url, many, { marks })));
  const [run] = runs;
  const left = urls.length * many.length - 25_000;
  expect(run?.results).toHaveLength(25_000);
  expect(run?.results.filter(({ level }) => level === "error").length).toBe(
    urls.length * many.filter(({ severity, code }) => (severity === "critical" || severity === "high") && code !== first?.code).length,
  );
  expect(run?.results.some(({ suppressions }) => suppressions?.length === 1)).toBe(false);
  expect(noticesOf(run)).toEqual([expect.stringContaining(`${left} of ${urls.length * many.length} results`)]);
});

test("a file has at most 10 MB after compression", () => {
  const noise = (seed: string) =>
    Array.from({ length: 60 }, (_, at) => createHash("sha256").update(`${seed} ${at}`).digest("base64")).join("");
  const noisy = (url: string) =>
    findings.map((finding) => ({
      ...finding,
      values: Object.fromEntries(Object.keys(finding.values).map((name) => [name, noise(url + finding.code + name)])),
    }));
  const urls = Array.from({ length: 130 }, (_, at) => `https://host.example/${at}`);
  const { text, runs } = readSarif(urls.map((url) => scanWith(url, noisy(url))));
  const bytes = gzipSync(text).byteLength;
  expect(bytes).toBeLessThanOrEqual(10_000_000);
  // Not much less than would fit.
  expect(bytes).toBeGreaterThan(7_000_000);
  const [run] = runs;
  const total = urls.length * findings.length;
  expect(noticesOf(run)).toEqual([expect.stringContaining(`${total - (run?.results.length ?? 0)} of ${total} results`)]);
});
