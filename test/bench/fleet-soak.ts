/** Thousands of scans over several workers, of which one is killed again and again: counts what is lost and what ends twice. */
import { startFleet, type TestFleet, type TestWorker } from "../lab/fleet/fleet.ts";
import { startHttp } from "../support/servers.ts";
import type { Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

const workersCount = 4;
const killEveryMs = 20_000;
/** Scans that wait or run at a time. */
const outMax = 200;
const pollMs = 250;
const location = "soak";
const msPerMinute = 60_000;

interface SoakEnds {
  finished: number;
  /** Number of failed scans by error code. */
  readonly failed: Map<string, number>;
}

export async function benchFleetSoak({ scans }: { readonly scans: number }): Promise<readonly Row[]> {
  const site = await startHttp({ "*": { body: "<!doctype html><title>soak</title><p>soak" } });
  const headArgs = ["--concurrency", "1"];
  const fleet = await startFleet({ headArgs, headEnv: { ASSAY_SCAN_QUEUE_MAX: "10000" }, workerArgs: ["--concurrency", "2"] });
  const workers: TestWorker[] = [];
  const beganMs = performance.now();
  try {
    for (let index = 0; index < workersCount; index++) {
      await fleet.enrol(`worker-${index}`, location);
      workers.push(await fleet.startWorker(`worker-${index}`));
    }
    let kills = 0;
    const killing = setInterval(() => void replace(fleet, workers, kills++ % workersCount), killEveryMs);
    const ends = await runScans(fleet, `http://127.0.0.1:${site.port}/`, scans);
    clearInterval(killing);
    return rowsOf({ fleet, scans, kills, ends, ms: performance.now() - beganMs });
  } finally {
    await fleet.stop();
    await site.stop();
  }
}

/** Kills one worker without notice and starts another process in its place. */
async function replace(fleet: TestFleet, workers: TestWorker[], index: number): Promise<void> {
  const victim = workers[index];
  if (victim === undefined) return;
  await victim.end("SIGKILL");
  workers[index] = await fleet.startWorker(victim.name);
}

/** @throws Error if a scan does not end. */
async function runScans(fleet: TestFleet, url: string, scans: number): Promise<SoakEnds> {
  const out = new Set<string>();
  const ends: SoakEnds = { finished: 0, failed: new Map() };
  let started = 0;
  while (started < scans || out.size > 0) {
    while (started < scans && out.size < outMax) out.add(await fleet.scan(`${url}?scan=${started++}`, location));
    await Bun.sleep(pollMs);
    await fleet.withStore(({ scans: stored }) => {
      for (const token of [...out]) {
        const scan = stored.findByToken(token);
        if (scan?.status === "finished") ends.finished++;
        else if (scan?.status === "failed") ends.failed.set(scan.errorCode ?? "", (ends.failed.get(scan.errorCode ?? "") ?? 0) + 1);
        else continue;
        out.delete(token);
        if ((scans - out.size) % 100 === 0) process.stderr.write(`${started - out.size} of ${scans} ended\n`);
      }
    });
  }
  return ends;
}

interface SoakRun {
  readonly fleet: TestFleet;
  readonly scans: number;
  readonly kills: number;
  readonly ends: SoakEnds;
  readonly ms: number;
}

function rowsOf({ fleet, scans, kills, ends, ms }: SoakRun): readonly Row[] {
  const failed = [...ends.failed.values()].reduce((sum, count) => sum + count, 0);
  const codes = [...ends.failed].map(([code, count]) => `${count} ${code}`).join(", ");
  const row = (name: string, count: number, rest: Pick<Row, "target" | "note"> = {}): Row => {
    return { name: `fleet soak: ${name}`, unit: "count", measured: spreadOf([count]), ...rest };
  };
  const none = (count: number) => ({ target: { text: "0", met: count === 0 } });
  const lost = scans - ends.finished - failed;
  const doubled = tokensEndedTwice(fleet.head().stderr());
  return [
    row("scans", scans, { note: `${workersCount} workers, ${kills} times one killed, ${(ms / msPerMinute).toFixed(1)} minutes` }),
    row("finished", ends.finished),
    row("failed", failed, failed === 0 ? {} : { note: codes }),
    row("lost", lost, none(lost)),
    row("ended twice", doubled, none(doubled)),
  ];
}

/** Number of scans that ended twice, by the log of the head, which has one line for each end. */
function tokensEndedTwice(log: string): number {
  const tokens = [...log.matchAll(/scan ended.*?"?token"?[=:]"?([\w-]{22})/g)].map(([, token]) => token);
  return tokens.length - new Set(tokens).size;
}
