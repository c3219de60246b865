/** HSTS preload list: the list file, and the list of the browser, which is read without network traffic. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { preloadList, probePreload, usePreloadList } from "../../../src/probe/browser/page-preload.ts";
import { subjectOf } from "../../../src/scan/task.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";

const now = () => new Date().toISOString();

describe("the preload list", () => {
  let browser: TestBrowser;
  beforeAll(() => {
    browser = openTestBrowser();
  });
  afterAll(() => browser.stop());

  const ask = (host: string, scannedAt = now()) =>
    browser.use((scanBrowser) => probePreload(scanBrowser, subjectOf(`https://${host}/`, scannedAt)));

  for (const host of ["site.test", "127.0.0.1", "[::1]", "localhost"]) {
    test(`cannot hold ${host}`, async () =>
      expect(await ask(host)).toEqual({ status: "read", facts: { hostPreloaded: false, registrableDomainPreloaded: false } }));
  }

  for (const host of ["site.dev", "deep.below.site.app", "accounts.google.com"]) {
    test(`holds ${host}`, async () => {
      expect(await ask(host)).toMatchObject({ facts: { hostPreloaded: true, subdomainsPreloaded: true, listDate: preloadList().date } });
    });
  }

  test("does not hold a name without an entry", async () => {
    const answer = await ask("a-name-that-is-not-preloaded.com");
    expect(answer).toMatchObject({ facts: { hostPreloaded: false, registrableDomainPreloaded: false, listDate: preloadList().date } });
  });

  test("answers many names at once, also after a restart of the browser", async () => {
    const before = await ask("accounts.google.com");
    process.kill(browser.pid(), "SIGKILL");
    const names = Array.from({ length: 20 }, (_, at) => `name${at}.accounts.google.com`);
    for (const answer of await Promise.all(names.map((name) => ask(name)))) {
      expect(answer).toMatchObject({ facts: { hostPreloaded: true } });
      expect(answer.status).toBe(before.status);
    }
  });

  test("answers without a browser", async () => {
    const answer = await browser.use((gone) => {
      process.kill(browser.pid(), "SIGKILL");
      return probePreload(gone, subjectOf("https://unknown.com/", now()));
    });
    expect(answer).toMatchObject({ facts: { hostPreloaded: false, decidedBy: "list", sourcesDiffer: false } });
  });

  describe("of the operator", () => {
    afterAll(() => usePreloadList(null));
    const lines = Buffer.from("unknown.com\t0\n");

    test("replaces the embedded one, and decides while it is newer than any list of a browser can be", async () => {
      usePreloadList({ date: now().slice(0, 10), bytes: lines });
      expect(await ask("unknown.com")).toMatchObject({ facts: { hostPreloaded: true, subdomainsPreloaded: false, decidedBy: "list" } });
      expect(await ask("www.unknown.com")).toMatchObject({ facts: { hostPreloaded: false, registrableDomainPreloaded: true } });
    });

    test("yields to the list of a browser that reveals it, if it is old", async () => {
      usePreloadList({ date: "2020-01-01", bytes: lines });
      const answer = await ask("unknown.com");
      if (answer.status === "failed") throw new Error(answer.because);
      const { facts } = answer;
      // A browser that is older than ten weeks ignores its list.
      if (facts.decidedBy === "browser") expect(facts).toMatchObject({ hostPreloaded: false, sourcesDiffer: true, listDate: "2020-01-01" });
      else expect(facts).toMatchObject({ hostPreloaded: true, sourcesDiffer: false, listDate: "2020-01-01" });
    });
  });
});
