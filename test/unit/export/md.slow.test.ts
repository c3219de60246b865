/** Size limit of Markdown summaries. */
import { describe, expect, test } from "vitest";
import { exportFormats } from "../../../src/export/formats.ts";
import { readMarkdown } from "../../support/export-readers.ts";
import { exportedScan, exportSettings } from "../../support/exported-scans.ts";

const { write } = exportFormats.md;
const bare = exportedScan("bare");
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

describe("the limit of 1 MiB", () => {
  const scans = Array.from({ length: 200 }, (_, at) => ({ ...bare, scan: { ...bare.scan, url: `https://host-${at}.example/` } }));
  const text = write(scans, exportSettings()) ?? "";

  test("is used, and kept", () => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_048_576);
    expect(Buffer.byteLength(text)).toBeGreaterThan(900_000);
  });

  test("leaves every verdict in the file, and says what is missing", () => {
    const { html } = readMarkdown(text);
    expect(count(html, /<h2>/g)).toBe(200);
    expect(count(html, /<details>/g)).toBe(count(html, /<\/details>/g));
    expect(html).toMatch(/This summary is cut: \d+ of its 800 parts are left out/);
  });
});
