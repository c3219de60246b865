/** HSTS preload list of the browser: read without network traffic, and never guessed. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BrowserHost } from "../../../src/browser/browser.ts";
import { subjectOf } from "../../../src/evidence/subject.ts";
import { probePreload } from "../../../src/probe/browser/page-preload.ts";
import { closedPort } from "../../support/servers.ts";
import { openTestBrowser } from "../../support/visits.ts";

const both = (preloaded: boolean) => ({ status: "read", facts: { hostPreloaded: preloaded, registrableDomainPreloaded: preloaded } });

describe("the preload list", () => {
  let browser: BrowserHost;
  beforeAll(() => {
    browser = openTestBrowser();
  });
  afterAll(() => browser.stop());

  const ask = async (host: string) => probePreload(await browser.endpoint(), subjectOf(`https://${host}/`, new Date().toISOString()));

  for (const host of ["site.test", "127.0.0.1", "[::1]", "localhost"]) {
    test(`cannot hold ${host}`, async () => expect(await ask(host)).toEqual(both(false)));
  }

  for (const host of ["site.dev", "deep.below.site.app"]) {
    test(`holds ${host} by its top-level domain`, async () => expect(await ask(host)).toEqual(both(true)));
  }

  test("distinguishes preloaded names, or is unsupported if the browser ignores its list", async () => {
    const preloaded = await ask("accounts.google.com");
    const unknown = await ask("a-name-that-is-not-preloaded.com");
    if (preloaded.status === "failed") {
      expect([preloaded, unknown]).toEqual([preloaded, preloaded]);
      expect(preloaded.because).toBe("unsupported");
      return;
    }
    expect(preloaded).toMatchObject({ facts: { hostPreloaded: true } });
    expect(unknown).toEqual(both(false));
  });

  test("answers many names at once, also after a restart of the browser", async () => {
    const before = await ask("accounts.google.com");
    await browser.retire();
    const names = Array.from({ length: 20 }, (_, at) => `name${at}.accounts.google.com`);
    for (const answer of await Promise.all(names.map(ask))) expect(answer.status).toBe(before.status);
  });

  test("fails without a browser", async () => {
    const answer = await probePreload(`ws://127.0.0.1:${await closedPort()}/gone`, subjectOf("https://unknown.com/", ""));
    expect(answer).toEqual({ status: "failed", because: "crashed" });
  });
});
