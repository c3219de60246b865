/** Pages on a real port over a temporary store, with a settable clock and visitors with cookie jars. */

import { builtInChecks } from "../../checks/index.ts";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { createAccountActions } from "../../src/accounts/account-actions.ts";
import { openapiDocument } from "../../src/api/openapi.ts";
import { workerFiles } from "../../src/app/placement.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createLog } from "../../src/base/log.ts";
import type { Catalog } from "../../src/catalog/catalog.ts";
import { createDoctorRun } from "../../src/doctor/background-run.ts";
import { ownUserAgent } from "../../src/egress/settings.ts";
import { createClientAddress } from "../../src/http/client-address.ts";
import { listen } from "../../src/http/server.ts";
import { createServerOrigin } from "../../src/http/server-origin.ts";
import { noRemoteLocations } from "../../src/scan/gatherer.ts";
import { createProgress, type ProgressHub } from "../../src/scan/progress.ts";
import { createStartLimits } from "../../src/scans/start-limits.ts";
import type { Config } from "../../src/settings/settings.ts";
import { noActivity } from "../../src/store/activity.ts";
import type { Store } from "../../src/store/store.ts";
import { createTexts } from "../../src/text/i18n.ts";
import type { Operator } from "../../src/web/admin/operator.ts";
import { createPages } from "../../src/web/app.ts";
import { openPictures } from "../../src/web/picture/pictures.ts";
import { startHeartbeats } from "../../src/web/scans/events.ts";
import type { PagesSettings, ScanningSettings } from "../../src/web/settings.ts";
import { testPasswordCost } from "./account-fixture.ts";
import { configWith } from "./config.ts";
import { siteServices } from "./site-services.ts";
import { temporaryStore } from "./temporary-store.ts";

/** The built-in checks, without closing the registry as loading the catalog does. */
export const builtInCatalog: Catalog = {
  checks: builtInChecks,
  version: "0123456789abcdef",
  texts: { "en-gb": enGb.checks, "de-de": deDe.checks },
  pluginFiles: {},
  warnings: [],
  snapshot: null,
};

/** Operator data without any warning. */
export const quietOperator: Operator = {
  settings: [],
  untrustedForwarder: () => null,
  unsandboxedBecause: () => null,
  diskSpace: () => null,
  storeBytes: () => null,
  lastDay: () => noActivity(new Date(0)),
  startedAt: new Date(0),
  versions: () => ({ assay: "0.0.0", bun: "1.0.0", chromium: null, schema: 1 }),
  natsServers: null,
  fleet: () => null,
  backups: () => ({ lastSuccess: null, lastFailure: null, nextAt: null }),
  checks: {
    reload: () => Promise.reject(new Error("these pages cannot reload checks")),
    lastReload: () => null,
  },
  examination: createDoctorRun(async () => [], { now: () => new Date(), onFailure: () => {} }),
};

export interface PagesUnderTest {
  readonly store: Store;
  readonly url: string;
  readonly settings: PagesSettings;
  /** Progress events in place of the dispatcher's. */
  readonly progress: ProgressHub;
  /** Log lines; empty unless an internal error occurred. */
  readonly logged: string[];
  /** Number of wake calls to the dispatcher. */
  woken: number;
  /** Number of wake calls to the clock of watched sites. */
  clockWoken: number;
  /** Advances the clock of the pages. */
  advanceMs(ms: number): void;
  /** Visitor with a separate cookie jar. */
  visitor(): Visitor;
  /** Sets clock, counters and log lines back: for the next test. The store stays. */
  reset(): void;
  stop(): Promise<void>;
}

export interface Visitor {
  readonly cookies: Map<string, string>;
  /** Does not follow redirects. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Submits a form to `path` as browsers do, with Origin, after reading the page at `from`, which must have a form. */
  post(path: string, fields: Readonly<Record<string, string>>, from: string): Promise<Response>;
}

interface PagesOptions extends Partial<Omit<PagesSettings, "addresses" | "config" | "scanning" | "accounts">> {
  readonly publicUrl?: string;
  readonly config?: Partial<Config>;
  readonly addresses?: Partial<PagesSettings["addresses"]>;
  readonly scanning?: Partial<ScanningSettings>;
  readonly accounts?: Partial<PagesSettings["accounts"]>;
  readonly queueMax?: number;
  /** Existing store; deleted by `stop` like a temporary one. */
  readonly dataDir?: string;
}

export async function startPages(options: PagesOptions = {}): Promise<PagesUnderTest> {
  const { publicUrl = null, queueMax, dataDir, config, addresses, scanning, accounts, ...settings } = options;
  const { store, stop } = temporaryStore(queueMax === undefined ? {} : { queueMax }, dataDir);
  const logged: string[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => void logged.push(line) });
  let shiftMs = 0;
  const progress = createProgress({ concurrency: 2, clock: systemClock, log });
  const now = () => new Date(Date.now() + shiftMs);
  const usedConfig = configWith({ public_url: publicUrl, "security.hsts": "max-age=63072000; includeSubDomains", ...config });
  const used: PagesSettings = {
    store,
    texts: createTexts((options.catalog ?? builtInCatalog).texts, (options.catalog ?? builtInCatalog).checks),
    catalog: builtInCatalog,
    version: "0.0.0",
    config: usedConfig,
    addresses: {
      calling: createClientAddress([]),
      own: createServerOrigin({ publicUrl, trustedProxies: [], onUntrustedForwarding: () => {} }),
      ...addresses,
    },
    scanning: {
      mayBeScanned: () => true,
      ready: () => true,
      progress,
      startHeartbeats,
      locations: noRemoteLocations(new Date()),
      wake: () => {
        underTest.woken += 1;
      },
      cancelScan: async () => "unknown",
      cancelProof: async () => "unknown",
      scoreOfLines: async () => null,
      limits: createStartLimits(usedConfig, now),
      cancelled: (token) => progress.publish(token, { type: "cancelled" }),
      ...scanning,
    },
    sites: {
      ...siteServices(),
      wakeClock: () => {
        underTest.clockWoken += 1;
      },
    },
    accounts: {
      actions: createAccountActions({ store, passwordCharsMin: 12, passwordCost: testPasswordCost, now }),
      oidc: null,
      ...accounts,
    },
    operator: quietOperator,
    pictures: openPictures({ workerFile: workerFiles.picture, log }),
    // Tests of the browser print.
    printPdf: async () => "failed",
    decodeLogo: async () => "busy",
    mail: null,
    reference: { api: openapiDocument(), userAgent: ownUserAgent },
    legal: { imprint: null, privacy: null },
    now,
    log,
    ...settings,
  };
  const server = listen(
    createPages(() => used),
    { hostname: "127.0.0.1", port: 0, log },
  );
  const underTest: PagesUnderTest = {
    store,
    settings: used,
    progress,
    url: `http://127.0.0.1:${server.port}`,
    logged,
    woken: 0,
    clockWoken: 0,
    advanceMs: (ms) => {
      shiftMs += ms;
    },
    visitor: () => visitorOf(`http://127.0.0.1:${server.port}`),
    reset: () => {
      shiftMs = 0;
      underTest.woken = 0;
      underTest.clockWoken = 0;
      logged.length = 0;
    },
    stop: async () => {
      await server.stop();
      await stop();
    },
  };
  return underTest;
}

/** Visitor of the server at this address, which may run in another process. */
export function visitorOf(url: string): Visitor {
  const cookies = new Map<string, string>();
  async function ask(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    const answer = await fetch(`${url}${path}`, { redirect: "manual", ...init, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0\b/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }
  const get: Visitor["get"] = (path, headers = {}) => ask(path, { headers });
  return {
    cookies,
    get,
    post: async (path, fields, from) => {
      if (!/<form method="post"/.test(await (await get(from)).text())) throw new Error(`the page ${from} has no form`);
      return ask(path, { method: "POST", headers: { origin: url }, body: new URLSearchParams(fields) });
    },
  };
}
