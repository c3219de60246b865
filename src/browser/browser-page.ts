/** Pages of a scan: each in a browser context of its own, behind the forward proxy of the scan. */
import type { Protocol } from "devtools-protocol";
import { type CDPSession, CDPSessionEvent } from "puppeteer-core/internal/api/CDPSession.js";
import { aborted, within } from "../base/clock.ts";
import { deadlineClock } from "../base/standstill.ts";
import type { ScanBrowser } from "./slot.ts";

export type { CDPSession, Protocol };

/** Emitted by a session when the connection to its browser is lost. */
export const disconnectedEvent = CDPSessionEvent.Disconnected;

/** Deadline for a blank page, which a healthy browser opens within 50 ms. */
const blankPageMs = 2_000;
/** Proxy URL for pages that connect to nothing. */
export const closedProxyUrl = "http://127.0.0.1:1";

export type BrowserPage = Awaited<ReturnType<typeof openPage>>;

/** Limit of a command itself: longer than its deadline can become by a standstill, so that the deadline decides. */
export function commandLimit(deadlineMs: number): { readonly timeout: number } {
  return { timeout: 5 * deadlineMs };
}

/**
 * A blank page in a new context, whose connections all go through `proxyUrl`. `browserSession` takes commands to the whole browser, whose
 * effect ends with the page. @throws Error when the browser is gone.
 */
export async function openPage(browser: ScanBrowser, proxyUrl: string) {
  const { connection } = browser;
  const { browserContextId: contextId } = await connection.send("Target.createBrowserContext", {
    // The context ends with its connection, even if this thread dies.
    disposeOnDetach: true,
    proxyServer: proxyUrl,
    // SSRF guard: by default Chromium connects to loopback without the proxy.
    proxyBypassList: "<-loopback>",
  });
  let browserSession: CDPSession | null = null;
  /** Closes the page's context; the slot ends a browser that does not close it. */
  const close = (): void => {
    browser.closeLater(connection.send("Target.disposeBrowserContext", { browserContextId: contextId }));
    if (browserSession !== null) browser.closeLater(browserSession.detach());
  };
  const sessionOf = ({ sessionId }: { readonly sessionId: string }): CDPSession => {
    const session = connection.session(sessionId);
    if (session === null) throw new Error("the browser attached to no page");
    return session;
  };
  try {
    const [{ targetId }, attached] = await Promise.all([
      connection.send("Target.createTarget", { url: "about:blank", browserContextId: contextId }),
      connection.send("Target.attachToBrowserTarget"),
      connection.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId: contextId }),
    ]);
    browserSession = sessionOf(attached);
    const session = sessionOf(await connection.send("Target.attachToTarget", { targetId, flatten: true }));
    return { session, browserSession, targetId, contextId, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** True if the browser itself answers: opens a blank page beside the scanned one. Never rejects. */
export async function isResponsive(browser: ScanBrowser): Promise<boolean> {
  return within(
    deadlineClock,
    blankPageMs,
    openPage(browser, closedProxyUrl).then(async ({ session, close }) => {
      await session.send("Runtime.evaluate", { expression: "1" });
      close();
      return true;
    }),
    false,
  ).catch(() => false);
}

/** Rejects when the signal aborts, or page or browser are gone: commands to a page that crashed get no answer. */
export function endOfPage(session: CDPSession, signal: AbortSignal): Promise<never> {
  void session.send("Inspector.enable").catch(() => {});
  return new Promise((_resolve, reject) => {
    session.once("Inspector.targetCrashed", () => reject(new Error("the page crashed")));
    session.once(disconnectedEvent, () => reject(new Error("the browser is gone")));
    void aborted(signal).then(() => reject(new Error("the page was given up")));
  });
}
