/** Sites of the laboratory, scanned without and beside a load: one ledger and one score each, or no score and the reason `server-busy`. */
import { availableParallelism } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isServerBusyRow, type StoredResult } from "../../src/judge/result.ts";
import { isFullTest } from "../support/random-runs.ts";
import type { LabCase } from "./laboratory.ts";
import { landmarkCases } from "./landmarks.ts";
import { openLaboratory } from "./open-laboratory.ts";
import { serveWeb } from "./web-site.ts";

/** Works for some two seconds of processor time after its load event: beside a load, it is late for the deadline of reading the document. */
const busyPage = `<script>addEventListener("load", () => setTimeout(() => {
  let sum = 0;
  for (let at = 0; at < 8e8; at++) sum += Math.sqrt(at);
  document.body.dataset.sum = sum;
}, 50))</script>`;

const sites: readonly Pick<LabCase, "name" | "serve">[] = [
  ...landmarkCases.filter(({ name }) => !["silent-site", "old-site"].includes(name)),
  { name: "a page with much script", serve: () => serveWeb({ head: busyPage }) },
];
/** Scans of each site without a load, and as many beside one. */
const scans = isFullTest ? 10 : 2;
/** Busy processes for each core. */
const loadPerCore = 3;
const testMs = 900_000;

const laboratory = openLaboratory();
beforeAll(laboratory.ready, testMs);
afterAll(laboratory.close);

/** Each has a session of its own: Linux shares processors among sessions first (sched(7), autogroup), so one session would be no load. */
async function besideLoad<T>(action: () => Promise<T>): Promise<T> {
  const busy = Array.from({ length: loadPerCore * availableParallelism() }, () =>
    Bun.spawn(["sh", "-c", "while :; do :; done"], { detached: true }),
  );
  try {
    return await action();
  } finally {
    for (const each of busy) each.kill("SIGKILL");
  }
}

async function scanned(site: (typeof sites)[number]): Promise<readonly StoredResult[]> {
  const results: StoredResult[] = [];
  for (let scan = 0; scan < scans; scan++) results.push((await laboratory.scan(site)).result);
  return results;
}

test.each(sites)(
  "$name has one ledger and one score, or none beside a load",
  async (site) => {
    const calm = await scanned(site);
    const loaded = await besideLoad(() => scanned(site));
    const told = ({ score, ledger }: StoredResult) => ({ score, ledger });
    const isBusy = ({ measured, score, ledger }: StoredResult) => !measured && score === null && ledger.some(isServerBusyRow);
    const [first] = calm;
    console.log(
      `${site.name}: score ${first?.score}; beside a load ${loaded.map((each) => (isBusy(each) ? "busy" : each.score)).join(" ")}`,
    );
    for (const each of calm) expect(told(each)).toEqual(told(first as StoredResult));
    for (const each of loaded) if (!isBusy(each)) expect(told(each)).toEqual(told(first as StoredResult));
  },
  testMs,
);
