/** The real API and store with a stand-in for the dispatcher: each queued scan ends with a known result. */
import { setTimeout as sleep } from "node:timers/promises";
import { builtInChecks } from "../../checks/index.ts";
import type { ApiSettings } from "../../src/api/app.ts";
import type { ScanErrorCode } from "../../src/evidence/scan.ts";
import { type ApiUnderTest, startApi } from "./api.ts";
import { exportSettings } from "./exported-scans.ts";
import { knownScans, type SiteName } from "./finished-scans.ts";

export interface ScanningApi extends ApiUnderTest {
  readonly origin: string;
  readonly token: string;
  /** Queued scans wait from now on. */
  pause(): void;
  resume(): void;
}

/** Location besides the server's own. */
const remoteLocation = "berlin";
/** Time of each stage. */
const stageMs = 5;

/** A URL whose path is `/bare` ends as that site of `knownScans`; `/fails-CODE` fails; `/pauses` runs without end, and others wait. */
export async function startScanningApi(settings: Partial<ApiSettings> & { readonly queueMax?: number } = {}): Promise<ScanningApi> {
  const { texts } = exportSettings();
  const checks = { texts, catalog: { checks: builtInChecks, version: "0123456789abcdef" } };
  let working = Promise.resolve();
  let paused = false;

  async function scanAll(): Promise<void> {
    while (!paused) {
      const now = new Date();
      const scan = (await api.store.scans.claimNext("local", now)) ?? (await api.store.scans.claimNext(remoteLocation, now));
      if (scan === undefined) return;
      const name = new URL(scan.url).pathname.slice(1);
      await api.store.scans.setProgress(scan.token, "browsing", 20);
      await sleep(stageMs);
      if (name === "pauses") return scanning.pause();
      if (name.startsWith("fails-")) {
        const code = name.slice("fails-".length) as ScanErrorCode;
        await api.store.scans.fail(scan.token, { code, evidence: null, timings: {}, now: new Date() });
      } else {
        const { result, evidence } = knownScans[name as SiteName];
        await api.store.scans.finish(scan.token, { result, evidence, timings: { whole: 480 }, now: new Date() });
      }
    }
  }
  const wake = () => {
    working = working.then(scanAll);
  };
  const locations = { names: () => [remoteLocation], provers: () => ({ present: 1, unable: [] }) };
  const requestLimit = { requestsMax: 10_000, windowSeconds: 60 };
  const api = await startApi({ checks: () => checks, locations, scanning: { wake, cancelled: () => {} }, requestLimit, ...settings });
  const { token } = await api.customer();
  const scanning: ScanningApi = Object.assign(api, {
    origin: `http://127.0.0.1:${api.port}`,
    token,
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
      wake();
    },
    stop: stopAfterScans(api.stop),
  });
  return scanning;

  function stopAfterScans(stop: () => Promise<void>) {
    return async () => {
      paused = true;
      await working;
      await stop();
    };
  }
}
