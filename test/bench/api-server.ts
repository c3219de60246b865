/** Serves the API over a real store with one finished scan, without scanner and practically without a rate limit. */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "../../src/api/app.ts";
import { createLog } from "../../src/base/log.ts";
import { builtInCatalog } from "../../src/catalog/catalog.ts";
import { listen } from "../../src/http/server.ts";
import { judgeEvidence } from "../../src/judge/ledger.ts";
import { noRemoteLocations } from "../../src/scan/gatherer.ts";
import { createStartLimits } from "../../src/scans/start-limits.ts";
import { openDatabase } from "../../src/store/database.ts";
import { openStore } from "../../src/store/store.ts";
import { createTexts } from "../../src/text/i18n.ts";
import { configWith } from "../support/config.ts";
import { evidence } from "../support/evidence.ts";
import { siteServices } from "../support/site-services.ts";
import { sendReady } from "./child.ts";

export interface ApiReady {
  readonly port: number;
  readonly apiToken: string;
  readonly scanToken: string;
  readonly dataDir: string;
}

const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-api-"));
const store = openStore(dataDir, { queueMax: 1_000_000_000 });
const now = new Date();
const catalog = builtInCatalog();
const account = await store.accounts.create({ email: "bench@assay.test", now });
if (typeof account === "string") throw new Error(account);
const { value: apiToken } = await store.apiTokens.create({ accountId: account.id, name: "bench", now });
await store.scans.queue({ accountId: account.id, url: "https://site.example/", now });
const scan = await store.scans.claimNext("local", now);
if (scan === undefined) throw new Error("no scan is queued");
const scanEvidence = evidence();
await store.scans.finish(scan.token, { result: judgeEvidence(scanEvidence, catalog, () => {}), evidence: scanEvidence, timings: {}, now });

// An appliance refuses beyond a thousand queued scans, and counts them at each request: the load must not measure a queue of 100,000.
const db = openDatabase(dataDir, { readOnly: false });
const drainEveryMs = 50;
setInterval(() => void db.write(() => [...db.queueByLane.getKeys()].map((key) => db.queueByLane.remove(key))), drainEveryMs);

const log = createLog({ level: "info", format: "json" });
const unlimited = { requestsMax: Number.MAX_SAFE_INTEGER, windowSeconds: 60 };
const checks = { texts: createTexts(catalog.texts, catalog.checks), catalog };
const api = createApi({
  store,
  checks: () => checks,
  version: "1.2.3",
  config: configWith(),
  requestLimit: unlimited,
  locations: noRemoteLocations(new Date()),
  printPdf: async () => "failed",
  decodeLogo: async () => "busy",
  mail: null,
  scanning: { wake: () => {}, cancelled: () => {}, limits: createStartLimits(configWith(), () => new Date()) },
  sites: siteServices(),
  cancelProof: async () => "unknown",
  cancelScan: async () => "unknown",
  ready: () => ({ ready: true }),
  now: () => new Date(),
  log,
});
const { port } = listen(api, { hostname: "127.0.0.1", port: 0, log });
const ready: ApiReady = { port, apiToken, scanToken: scan.token, dataDir };
sendReady(ready);
