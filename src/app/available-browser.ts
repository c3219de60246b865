/** The browser of a process that scans for as long as it runs: started early, and tried again until one runs. */
import type { Browsers } from "../browser/browser.ts";
import type { LocalGatherer } from "../scan/gatherer.ts";

/** A browser may not start because disk or memory are full, which can pass. */
const browserRetryMs = 30_000;

/** `onTried` is called after each attempt. Returns the function that stops further ones. */
export function keepBrowserAvailable(
  starter: Pick<LocalGatherer, "startBrowser">,
  browsers: Pick<Browsers, "fault" | "state">,
  onTried: () => void = () => {},
): () => void {
  const start = () => void starter.startBrowser().then(onTried);
  start();
  const timer = setInterval(() => {
    if (browserFault(browsers) !== null) start();
  }, browserRetryMs);
  return () => clearInterval(timer);
}

/** For readiness: a clause, or null. */
export function browserFault(browsers: Pick<Browsers, "fault" | "state">): string | null {
  if (browsers.fault() !== null) return "the browser does not start";
  return browsers.state() === null ? "the browser is starting" : null;
}
