/** Scans Debian's nginx, Apache and Caddy over real TLS, as they come and hardened: what their owners would read about them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../../src/browser/browser.ts";
import type { State } from "../../src/check/check.ts";
import { createLog } from "../../src/log.ts";
import { openScanner } from "../../src/scan/scanner.ts";
import { defaultDeadlines, type ScanOutcome } from "../../src/scan/task.ts";
import { siteIdentity, testAuthority } from "../support/certificates.ts";
import { egressTo } from "../support/servers.ts";
import { dnsCases } from "./dns.ts";
import { labTests } from "./laboratory.ts";
import { type ServerName, serverNames, startServer } from "./web-servers.ts";

const scanMsMax = 60_000;

/** What every one of them gets wrong as it comes: none of them can know what its owner wants. */
const missingByDefault = [
  "content-security-policy",
  "cross-origin-opener-policy",
  "https-redirect",
  "permissions-policy",
  "referrer-policy",
  "strict-transport-security",
  "x-content-type-options",
  "x-frame-options",
];
/** And what each adds to that. */
const alsoByDefault: Readonly<Record<ServerName, readonly string[]>> = {
  nginx: ["information-disclosure"],
  apache: ["information-disclosure"],
  caddy: [],
};
/** Debian's nginx and Apache name TLS 1.0 and 1.1 among their versions, but Debian's OpenSSL turns those hellos away. */
const tlsInOrder = [
  "https-available",
  "tls-certificate-validity",
  "tls-cipher-negotiated",
  "tls-hostname-match",
  "tls-key-strength",
  "tls-legacy-protocols",
  "tls-modern-protocol",
  "tls-signature-algorithm",
  "tls-trust-chain",
];

const dir = mkdtempSync(join(tmpdir(), "assay-lab-browser-"));
const browser = openBrowser({ path: null, dir, sandbox: "auto" });
const log = createLog({ level: "warn", format: "text" });

beforeAll(() => browser.endpoint(), scanMsMax);
afterAll(async () => {
  await browser.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function scan(name: ServerName, hardened: boolean): Promise<ScanOutcome> {
  const host = `${name}.test`;
  const server = await startServer(name, { host, hardened, ...siteIdentity(host) });
  const scanner = openScanner({
    egress: egressTo({ [`${host}:443`]: { port: server.tlsPort }, [`${host}:80`]: { port: server.plainPort } }),
    caPems: [testAuthority().root.pem],
    deadlines: defaultDeadlines,
    concurrency: 1,
    checksDir: null,
    browser,
    workerFile: join(import.meta.dirname, "../../src/scan/worker.ts"),
    log,
  });
  try {
    const outcome = await scanner.scanUrl(`https://${host}/`, () => {});
    if (outcome.status === "finished")
      console.log(`${server.version}, ${hardened ? "hardened" : "as it comes"}: ${outcome.result.score} (${outcome.result.rank})`);
    return outcome;
  } finally {
    await scanner.close();
    await server.stop();
  }
}

function keysIn(outcome: ScanOutcome, state: State): readonly string[] {
  if (outcome.status === "failed") throw new Error(`the scan failed: ${outcome.code}`);
  return outcome.result.ledger.filter((row) => row.state === state).map((row) => row.key);
}

describe.each([...serverNames])("%s", (name) => {
  test(
    "as it comes: sound TLS, and nothing that its owner would have had to say",
    async () => {
      const outcome = await scan(name, false);
      expect(keysIn(outcome, "violated")).toEqual([...missingByDefault, ...alsoByDefault[name]].sort());
      expect(keysIn(outcome, "passed")).toEqual(expect.arrayContaining(tlsInOrder));
      expect(keysIn(outcome, "notChecked")).toEqual([]);
    },
    scanMsMax,
  );

  test(
    "hardened: nothing violated, nothing left unread, 100",
    async () => {
      const outcome = await scan(name, true);
      expect(keysIn(outcome, "violated")).toEqual([]);
      expect(keysIn(outcome, "notChecked")).toEqual([]);
      expect(outcome.status === "finished" && outcome.result.score).toBe(100);
      expect(keysIn(outcome, "passed")).toEqual(expect.arrayContaining([...missingByDefault, ...tlsInOrder]));
    },
    scanMsMax,
  );
});

labTests("DNS", dnsCases);
