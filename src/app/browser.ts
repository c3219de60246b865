/** The browser as the settings want it. */
import { join } from "node:path";
import type { Log } from "../base/log.ts";
import { type BrowserHost, openBrowser } from "../browser/browser.ts";
import type { Config } from "./settings.ts";

/** Started when its endpoint is first asked for. The log says when it runs without sandbox, and why. */
export function openBrowserOf(config: Config, log: Log): BrowserHost {
  return openBrowser({
    path: config["browser.path"],
    dir: config["browser.dir"] ?? join(config.data, "browser"),
    sandbox: config["browser.sandbox"],
    onStart: ({ pid, version, unsandboxedBecause }) => {
      log.info("browser started", { pid, version });
      if (unsandboxedBecause !== null) log.warn("browser runs without sandbox", { because: unsandboxedBecause });
    },
  });
}
