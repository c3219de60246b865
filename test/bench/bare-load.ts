/** Bare loads of a page in plain browsers with the same flags: the minimum of any scan with a browser. */
import type { Browser } from "puppeteer-core";
import { launchPlainBrowser } from "../support/test-browser.ts";

export interface BareLoads {
  /** Milliseconds for a new context and the load event, in the browser of this lane. */
  load(lane: number): Promise<number>;
  close(): Promise<void>;
}

/** Lanes share the browsers in turn. */
export async function openBareLoads(url: string, { browsers: count }: { readonly browsers: number }): Promise<BareLoads> {
  const browsers = await Promise.all(Array.from({ length: count }, launchPlainBrowser));
  return {
    load: (lane) => bareLoad(browsers[lane % count] as Browser, url),
    close: async () => {
      await Promise.all(browsers.map((browser) => browser.close()));
    },
  };
}

async function bareLoad(browser: Browser, url: string): Promise<number> {
  const beganMs = performance.now();
  // The browser's default proxy is a closed port, so that it cannot send anything by accident.
  const context = await browser.createBrowserContext({ proxyServer: "direct://", proxyBypassList: [] });
  const page = await context.newPage();
  await page.goto(url, { waitUntil: "load" });
  const tookMs = performance.now() - beganMs;
  await context.close();
  return tookMs;
}
