/** API on a real port with a temporary store and a settable clock. */

import { type Api, type ApiSettings, createApi } from "../../src/api/app.ts";
import { createLog } from "../../src/base/log.ts";
import type { ScanErrorCode } from "../../src/evidence/scan.ts";
import { listen } from "../../src/http/server.ts";
import type { StoredResult } from "../../src/judge/result.ts";
import { noRemoteLocations } from "../../src/scan/gatherer.ts";
import { createStartLimits } from "../../src/scans/start-limits.ts";
import type { Config } from "../../src/settings/settings.ts";
import type { Plan } from "../../src/store/accounts.ts";
import type { ScanRecord } from "../../src/store/scans.ts";
import type { Store } from "../../src/store/store.ts";
import { createTexts } from "../../src/text/i18n.ts";
import { configWith } from "./config.ts";
import { evidence } from "./evidence.ts";
import { type SiteServicesUnderTest, siteServices } from "./site-services.ts";
import { checksTexts, storedResult } from "./stored.ts";
import { temporaryStore } from "./temporary-store.ts";

export interface ApiUnderTest {
  readonly store: Store;
  readonly api: Api;
  readonly port: number;
  readonly dataDir: string;
  /** Log lines of all levels. */
  readonly logged: string[];
  /** Warnings and errors in the log. */
  troubles(): readonly string[];
  /** Number of wake-ups of the dispatcher. */
  woken: number;
  /** Tokens of cancelled scans, in order. */
  readonly cancelled: string[];
  /** Services of watched sites. */
  readonly services: SiteServicesUnderTest;
  /** Advances the clock of the API. */
  advanceMs(ms: number): void;
  /** Account on the plan with a token. The store puts the first account on the Agency plan, so that one exists before. */
  customer(
    plan?: Plan,
  ): Promise<{ readonly accountId: number; readonly email: string; readonly token: string; readonly revoke: () => Promise<unknown> }>;
  /** Sends a request; `token` becomes the Authorization header. */
  request(path: string, init?: RequestInit & { readonly token?: string }): Promise<Response>;
  start(token: string, url?: string): Promise<{ token: string; id: number; status: string; statusUrl: string }>;
  /** Claims the oldest queued scan. */
  claim(): Promise<ScanRecord>;
  /** Claims the oldest queued scan and finishes it. */
  finish(result?: StoredResult): Promise<ScanRecord>;
  fail(code: ScanErrorCode): Promise<ScanRecord>;
  stop(): Promise<void>;
}

const noChecks = { texts: createTexts(checksTexts), catalog: { checks: [], version: "v" } };

interface ApiOptions extends Partial<Omit<ApiSettings, "config" | "scanning">> {
  readonly scanning?: Partial<ApiSettings["scanning"]>;
  readonly config?: Partial<Config>;
  readonly queueMax?: number;
}

export async function startApi({ config, scanning, ...settings }: ApiOptions = {}): Promise<ApiUnderTest> {
  const { store, dataDir, stop } = temporaryStore(settings.queueMax === undefined ? {} : { queueMax: settings.queueMax });
  const logged: string[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
  const services = siteServices();
  let shiftMs = 0;
  let customers = 0;
  const now = () => new Date(Date.now() + shiftMs);
  const api = createApi({
    store,
    checks: () => noChecks,
    version: "1.2.3",
    config: configWith(config),
    locations: noRemoteLocations(new Date()),
    printPdf: async () => "failed",
    decodeLogo: async () => "busy",
    mail: null,
    scanning: {
      wake: () => {
        underTest.woken += 1;
      },
      cancelled: (token) => void underTest.cancelled.push(token),
      limits: createStartLimits(configWith(config), now),
      ...scanning,
    },
    cancelScan: async () => "unknown",
    cancelProof: async () => "unknown",
    sites: services,
    ready: () => ({ ready: true }),
    now,
    log,
    ...settings,
  });
  const server = listen(api, { hostname: "127.0.0.1", port: 0, log });
  await store.accounts.create({ email: "first@assay.test", now: new Date() });

  async function claim(): Promise<ScanRecord> {
    const scan = await store.scans.claimNext("local", now());
    if (scan === undefined) throw new Error("no scan is queued");
    return scan as ScanRecord;
  }
  const gathered = (url: string) => ({ evidence: evidence({ url }), timings: { page: 120, whole: 480 }, now: now() });

  const underTest: ApiUnderTest = {
    store,
    api,
    port: server.port,
    dataDir,
    logged,
    troubles: () => logged.filter((line) => JSON.parse(line).level !== "info"),
    woken: 0,
    cancelled: [],
    services,
    advanceMs: (ms) => {
      shiftMs += ms;
    },
    customer: async (plan = "agency") => {
      customers += 1;
      const account = await store.accounts.create({ email: `customer-${customers}@assay.test`, plan, now: now() });
      if (typeof account === "string") throw new Error(account);
      const { token, value } = await store.apiTokens.create({ accountId: account.id, name: "test", now: now() });
      return {
        accountId: account.id,
        email: account.email,
        token: value,
        revoke: () => store.apiTokens.revoke(account.id, token.id, now()),
      };
    },
    request: (path, { token, ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return fetch(`http://127.0.0.1:${server.port}${path}`, { redirect: "manual", ...init, headers });
    },
    start: async (token, url = "https://site.example/path") => {
      const response = await underTest.request("/api/v1/scans", {
        method: "POST",
        token,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ url }),
      });
      return (await response.json()) as Awaited<ReturnType<ApiUnderTest["start"]>>;
    },
    claim,
    finish: async (result = storedResult()) => {
      const scan = await claim();
      return store.scans.finish(scan.token, { result, ...gathered(scan.url) });
    },
    fail: async (code) => {
      const scan = await claim();
      return store.scans.fail(scan.token, { code, ...gathered(scan.url) }) as Promise<ScanRecord>;
    },
    stop: async () => {
      await server.stop();
      await stop();
    },
  };
  return underTest;
}
