/** Child process without a free file descriptor: its watchdog surveys, and a browser cannot be started. Prints the error. */
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createLog } from "../../../src/base/log.ts";
import { startWatchdog } from "../../../src/browser/browser.ts";
import { launchBrowser } from "../../../src/browser/launch.ts";
import { openProcessTable } from "../../../src/browser/processes.ts";

const [profilesDir = ""] = process.argv.slice(2);
const table = openProcessTable();
const threadId = 1;
const limits = { childBytesMax: Number.POSITIVE_INFINITY, browserBytesMax: Number.POSITIVE_INFINITY };
const log = createLog({ level: "error", format: "text" });
// The watched process is this one, with limits that nothing exceeds.
table.add(process.pid, threadId);
try {
  for (;;) openSync("/dev/null", "r");
} catch {
  // All descriptors are in use.
}
startWatchdog({ table, limits, threadIds: () => new Set([threadId]), onLost: () => {}, log });
await sleep(1_000);
const executable = { path: "/bin/true", environment: {} };
const started = launchBrowser({ executable, profilesDir, sandbox: "off", onProcess: () => {} });
writeSync(1, await started.then(String, (error: Error) => `${error.name}: ${error.message}`));
process.exit();
