/** A tab of the real browser with its own forward proxy, for tests of browser behaviour. */

import { type CDPSession, openPage } from "../../src/browser/browser-page.ts";
import { openEgress } from "../../src/egress/dial.ts";
import { startProxy } from "../../src/egress/proxy.ts";
import { egressTo } from "../support/servers.ts";
import { openTestBrowser } from "../support/test-browser.ts";

export interface Tab {
  readonly session: CDPSession;
  readonly frameId: string;
  /** Resolves at the load event. */
  load(url: string): Promise<void>;
  close(): Promise<void>;
}

/** `targets` as in `egressTo`. Certificate errors are ignored, and the cache is disabled. */
export async function openTab(targets: Parameters<typeof egressTo>[0], settings: Parameters<typeof egressTo>[1] = {}): Promise<Tab> {
  const browser = openTestBrowser();
  const egress = openEgress(egressTo(targets, settings));
  const proxy = await startProxy(egress);
  const page = await openPage(await browser.hold(), proxy.url);
  const { session, targetId: frameId } = page;
  await session.send("Page.enable");
  await session.send("Security.setIgnoreCertificateErrors", { ignore: true });
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  return {
    session,
    frameId,
    load: async (url) => {
      const loaded = new Promise((resolve) => session.once("Page.loadEventFired", resolve));
      await session.send("Page.navigate", { url });
      await loaded;
    },
    close: async () => {
      page.close();
      await proxy.stop();
      egress.close();
      await browser.stop();
    },
  };
}
