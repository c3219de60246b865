/** Child process: workers of a fleet without a browser. All but the gathering is the code of `assay worker`. */
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.ts";
import { createLog } from "../../src/base/log.ts";
import { connectNats, userOfCredentials } from "../../src/fleet/connection.ts";
import { packResult } from "../../src/fleet/results.ts";
import { inboxPrefixOf } from "../../src/fleet/subjects.ts";
import { startFleetWorker } from "../../src/fleet/worker/fleet-worker.ts";
import { defaultDeadlines, type Gathered, subjectOf } from "../../src/scan/task.ts";
import { knownScans, shopPicture } from "../support/finished-scans.ts";
import { childInput, sendReady } from "./child.ts";

export interface SimulatedWorkersInput {
  readonly natsUrl: string;
  readonly location: string;
  /** One for each worker. */
  readonly seedFiles: readonly string[];
  readonly slots: number;
  /** Time of a scan. */
  readonly gatherMs: number;
}

export interface SimulatedWorkersReady {
  /** Payload of one result in NATS, manifest included. */
  readonly resultBytes: number;
  readonly evidenceJsonBytes: number;
}

async function start({ natsUrl, location, seedFiles, slots, gatherMs }: SimulatedWorkersInput): Promise<SimulatedWorkersReady> {
  const log = createLog({ level: "error", format: "text" });
  const gatherer = {
    visitOn: async () => "crashed" as const,
    gatherOn: async ({ scannedAt }: { readonly scannedAt: string | null }, { url }: { readonly url: string }) => {
      await wait(gatherMs);
      return gatheredOf(url, scannedAt ?? new Date().toISOString());
    },
  };
  for (const credentialsFile of seedFiles) {
    const worker = userOfCredentials(credentialsFile);
    const connection = await connectNats({
      clock: systemClock,
      servers: [natsUrl],
      credentialsFile,
      caFile: null,
      name: `simulated worker ${worker}`,
      inboxPrefix: inboxPrefixOf(worker),
      log,
      signal: new AbortController().signal,
    });
    startFleetWorker({
      clock: systemClock,
      connection,
      address: { location, worker },
      slots,
      version: "0.0.0",
      reach: "public",
      deadlines: defaultDeadlines,
      gatherer,
      browserFault: () => null,
      timeScan: () => ({ stage: () => {}, end: () => {} }),
      onEnd: () => {},
      log,
    });
  }
  const sample = gatheredOf("https://site.example/", new Date().toISOString());
  const { parts, manifest } = packResult(sample);
  const partBytes = parts.reduce((sum, part) => sum + part.length, 0);
  return {
    resultBytes: partBytes + Buffer.byteLength(JSON.stringify(manifest)),
    evidenceJsonBytes: Buffer.byteLength(JSON.stringify(sample.evidence)),
  };
}

const picture = readFileSync(shopPicture);

/** A shop with 38 findings, and its screenshot. */
function gatheredOf(url: string, scannedAt: string): Gathered {
  return {
    evidence: { ...knownScans.shop.evidence, subject: subjectOf(url, scannedAt) },
    screenshot: picture,
    timings: { page: 1_612, total: 2_340 },
    unreachable: null,
    browserBroke: false,
    refusals: [],
  };
}

if (import.meta.main) sendReady(await start(childInput<SimulatedWorkersInput>()));
