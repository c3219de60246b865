/** Log lines: one per event, quoted, without secrets. */
import { describe, expect, test } from "vitest";
import { createLog, type LogOptions, logWith } from "../../../src/base/log.ts";

function lines(options: Partial<LogOptions>, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const written: string[] = [];
  write(createLog({ level: "info", format: "json", ...options, write: (line) => written.push(line) }));
  return written;
}

describe("a log", () => {
  test("writes JSON, one line each", () => {
    const [line] = lines({}, (log) => log.warn("scan failed", { code: "timeout", attempt: 2 }));
    expect(line?.endsWith("\n")).toBe(true);
    expect(JSON.parse(line ?? "")).toMatchObject({ level: "warn", event: "scan failed", code: "timeout", attempt: 2 });
  });

  test("writes text", () => {
    const [line] = lines({ format: "text" }, (log) => log.info("listening", { port: 8787 }));
    expect(line).toMatch(/^\d{4}-\S+Z info listening port=8787\n$/);
  });

  test("writes text by default where it runs from source, also without a terminal", () => {
    const [line] = lines({ format: "auto" }, (log) => log.info("listening"));
    expect(line).toMatch(/^\d{4}-\S+Z info listening\n$/);
  });

  test("omits lower levels", () => {
    expect(lines({ level: "warn" }, (log) => [log.debug("a"), log.info("b"), log.warn("c"), log.error("d")])).toHaveLength(2);
  });

  test.each(["json", "text"] as const)("prevents log injection (%s)", (format) => {
    const [line] = lines({ format }, (log) =>
      log.info("scan", { title: 'a"\n2026 error forged\u001b[2J\r\u009b\u202e\u2028forged\u2029forged' }),
    );
    expect(line?.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });

  test.each([
    ["https://site.example/path?token=secret#secret", "https://site.example/path?..."],
    ["https://user:secret@site.example/", "https://...@site.example/"],
    ["no answer from wss://site.example/a?secret and more", "no answer from wss://site.example/a?... and more"],
    ["Bearer assay_secretsecret", "Bearer assay_..."],
  ])("redacts secrets in %s", (given, shown) => {
    const [line] = lines({}, (log) => log.info("scan", { url: given }));
    expect(JSON.parse(line ?? "").url).toBe(shown);
  });

  test("adds fields to the end of each line, and a line's own win", () => {
    const [line] = lines({}, (log) => logWith(log, { token: "t", attempt: 1 }).info("scan", { pid: 7, attempt: 2 }));
    expect(line).toContain('"event":"scan","pid":7,"attempt":2,"token":"t"}');
  });

  test("limits the length of a field", () => {
    const [line] = lines({}, (log) => log.info("scan", { title: "x".repeat(100_000) }));
    expect(line?.length).toBeLessThan(700);
  });
});
