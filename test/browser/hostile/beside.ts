/** Runs hostile scans beside ordinary ones, and measures both. */

import type { Evidence } from "../../../src/evidence/evidence.ts";
import type { ProofBody } from "../../../src/evidence/proof.ts";
import type { FullReport, SecurityResult } from "../../../src/text/render.ts";
import { siteHost } from "../../bench/site.ts";
import { spreadOf } from "../../bench/spread.ts";
import type { LimitedAppliance } from "./limited-appliance.ts";
import { type HostilePage, hostileHost } from "./page.ts";

const ordinaryUrl = `https://${siteHost}/`;
/** Ordinary scans at once in the calm phase: as many as with a hostile one beside an ordinary one. */
const scansAtOnce = 2;
const calmScans = 10;
const warmUpScans = 4;
/** Ordinary scans observed after each hostile one at least: the median of fewer says nothing. */
const ordinaryScansMin = 3;
const ordinaryEndMsMax = 200_000;
/** Longest time of a hostile scan or proof. */
const hostileEndMsMax = 400_000;
const pollProofMs = 250;
const sampleMs = 100;
/** Memory above the calm peak that still counts as back: different numbers of open pages. */
const backWithinBytes = 150 * 1024 ** 2;
const backMsMax = 15_000;
/** Observed after a hostile scan at least, because what it left behind may grow later. */
const watchedMsMin = 3_000;

type Report = FullReport<Evidence, Readonly<Record<string, number>>>;

interface OrdinaryScan {
  readonly fromMs: number;
  readonly tookMs: number;
  /** Why it is not whole; null if it is. */
  readonly flaw: string | null;
}

export interface Calm {
  readonly medianMs: number;
  readonly peakBytes: number;
  /** Rows that this site leaves unread even when nothing disturbs. */
  readonly unread: ReadonlySet<string>;
}

export interface BesideReport {
  readonly page: string;
  /** Status of the scan, then its error code or its failed readings. For a proof: see `HostileProof.told`. */
  readonly outcome: string;
  readonly seconds: number;
  readonly peakMegabytes: number;
  /** Time from the end of the hostile scan; null if the memory was not back when the observation ended. */
  readonly backAfterSeconds: number | null;
  readonly ordinaryScans: number;
  readonly flaws: readonly string[];
  /** Median time of the ordinary scans that overlap the hostile one, as a multiple of the calm median. */
  readonly timesUsualBeside: number;
  /** The same for those that follow it; null without any. */
  readonly timesUsualAfter: number | null;
  readonly slowestTimesUsual: number;
  /** Processes that the kernel ended at the group's limit. */
  readonly oomKills: number;
  readonly serverAlive: boolean;
  readonly readyStatus: number;
}

async function scan({ client }: LimitedAppliance, url: string, withinMs: number): Promise<SecurityResult> {
  const token = await client.start(url);
  if (token === null) throw new Error(`the scan of ${url} was refused`);
  return client.ended(token, withinMs);
}

const unreadRows = ({ security }: SecurityResult) =>
  (security?.checks ?? []).filter(({ state }) => state === "notChecked").map(({ key }) => key);

async function ordinaryScan(
  appliance: LimitedAppliance,
  unread: ReadonlySet<string> | null,
): Promise<OrdinaryScan & { readonly result: SecurityResult }> {
  const fromMs = performance.now();
  const result = await scan(appliance, ordinaryUrl, ordinaryEndMsMax);
  const tookMs = performance.now() - fromMs;
  const more = unread === null ? [] : unreadRows(result).filter((key) => !unread.has(key));
  const flaws = [
    ...(result.status === "finished" ? [] : [`failed: ${result.scanErrorMessage}`]),
    ...(result.security?.measured ? [] : ["not measured"]),
    ...(more.length === 0 ? [] : [`${more.length} rows not checked (${more.slice(0, 3).join(", ")})`]),
    ...((await appliance.hasPicture(result.token)) ? [] : ["no picture"]),
  ];
  return { fromMs, tookMs, flaw: flaws.length === 0 ? null : flaws.join("; "), result };
}

/** Samples the memory of the group until it is stopped. */
function sampleMemory({ group }: LimitedAppliance) {
  let peakBytes = 0;
  const take = () => {
    peakBytes = Math.max(peakBytes, group.usedBytes());
  };
  take();
  const timer = setInterval(take, sampleMs);
  return {
    peakBytes: () => peakBytes,
    stop: () => clearInterval(timer),
  };
}

/** Two series of ordinary scans at once. @throws Error if one is not whole, which makes every comparison void. */
export async function measureCalm(appliance: LimitedAppliance): Promise<Calm> {
  const series = async (count: number) => {
    const scans: Awaited<ReturnType<typeof ordinaryScan>>[] = [];
    const lane = async () => {
      while (scans.length + scansAtOnce <= count) scans.push(await ordinaryScan(appliance, null));
    };
    await Promise.all(Array.from({ length: scansAtOnce }, lane));
    return scans;
  };
  await series(warmUpScans);
  const memory = sampleMemory(appliance);
  const scans = await series(calmScans);
  memory.stop();
  const flaws = scans.flatMap(({ flaw }) => flaw ?? []);
  if (flaws.length > 0) throw new Error(`ordinary scans are not whole even without hostile ones: ${flaws.join("; ")}`);
  return {
    medianMs: spreadOf(scans.map(({ tookMs }) => tookMs)).median,
    peakBytes: memory.peakBytes(),
    unread: new Set(scans.flatMap(({ result }) => unreadRows(result))),
  };
}

/** Scans the page, or proves headers on it. @throws Error if that does not end in time. */
async function hostileOutcome(appliance: LimitedAppliance, { name, proof }: HostilePage): Promise<string> {
  const url = `https://${hostileHost}/${name}/`;
  if (proof !== undefined) return provenOutcome(appliance, { url, ...proof.plan });
  const { token } = await scan(appliance, url, hostileEndMsMax);
  return outcomeOf((await appliance.client.get<Report>(`/api/v1/scans/${token}`)).body);
}

interface ShownProof {
  readonly endedAt: string | null;
  readonly errorCode: string | null;
  readonly proof: ProofBody | null;
}

async function provenOutcome({ client }: LimitedAppliance, asked: object): Promise<string> {
  const { status, body } = await client.post<{ readonly statusUrl: string }>("/api/v1/proofs", asked);
  if (status !== 202) throw new Error(`the proof was refused with ${status}: ${JSON.stringify(body)}`);
  const untilMs = performance.now() + hostileEndMsMax;
  while (performance.now() < untilMs) {
    const { endedAt, errorCode, proof } = (await client.get<ShownProof>(body.statusUrl)).body;
    if (endedAt !== null) return proof === null ? String(errorCode) : toldBy(proof);
    await Bun.sleep(pollProofMs);
  }
  throw new Error("the proof does not end");
}

/** The verdict with its reason, then whether some injected code runs, or is stopped. */
function toldBy({ pages, verdict }: ProofBody): string {
  const because = pages.flatMap((page) => page.because ?? []);
  const outcomes = pages.flatMap(({ canaries }) => canaries.map(({ outcome }) => outcome));
  const [injected = "unknown"] = (["runs", "stopped"] as const).filter((outcome) => outcomes.includes(outcome));
  return [verdict, ...because].join(" ") + (injected === "unknown" ? "" : `, ${injected}`);
}

/** One hostile scan, with ordinary scans one after the other from its start until the memory is back. */
export async function runBeside(appliance: LimitedAppliance, calm: Calm, page: HostilePage): Promise<BesideReport> {
  const { group, server } = appliance;
  const oomKillsBefore = group.oomKills();
  const memory = sampleMemory(appliance);
  const beganMs = performance.now();
  let endedMs: number | null = null;
  const hostile = hostileOutcome(appliance, page)
    .catch((error: Error) => `no end: ${error.message}`)
    .finally(() => {
      endedMs = performance.now();
    });
  let backMs: number | null = null;
  const watchBack = setInterval(() => {
    const isBack = endedMs !== null && group.usedBytes() <= calm.peakBytes + backWithinBytes;
    backMs = isBack ? (backMs ?? performance.now()) : null;
  }, sampleMs);
  const ordinary: OrdinaryScan[] = [];
  const isOver = () => {
    const from = endedMs;
    if (from === null || ordinary.filter(({ fromMs }) => fromMs > from).length < ordinaryScansMin) return false;
    const watchedMs = performance.now() - from;
    return watchedMs > backMsMax || (watchedMs > watchedMsMin && backMs !== null);
  };
  try {
    while (!isOver()) ordinary.push(await ordinaryScan(appliance, calm.unread));
  } finally {
    clearInterval(watchBack);
    memory.stop();
  }
  const outcome = await hostile;
  const hostileEndMs = endedMs ?? performance.now();
  const times = (scans: readonly OrdinaryScan[]) =>
    scans.length === 0 ? null : round(spreadOf(scans.map(({ tookMs }) => tookMs)).median / calm.medianMs, 2);
  return {
    page: page.name,
    outcome,
    seconds: round((hostileEndMs - beganMs) / 1_000, 1),
    peakMegabytes: round(memory.peakBytes() / 1024 ** 2, 0),
    backAfterSeconds: backMs === null ? null : round((backMs - hostileEndMs) / 1_000, 1),
    ordinaryScans: ordinary.length,
    flaws: ordinary.flatMap(({ flaw }) => flaw ?? []),
    timesUsualBeside: times(ordinary.filter(({ fromMs }) => fromMs < hostileEndMs)) ?? 0,
    timesUsualAfter: times(ordinary.filter(({ fromMs }) => fromMs >= hostileEndMs)),
    slowestTimesUsual: round(Math.max(...ordinary.map(({ tookMs }) => tookMs)) / calm.medianMs, 2),
    oomKills: group.oomKills() - oomKillsBefore,
    serverAlive: group.pids().includes(server.pid),
    readyStatus: await fetch(`${server.url}/readyz`).then(
      ({ status }) => status,
      () => 0,
    ),
  };
}

/** Status and failed page readings, each with its reason. */
function outcomeOf({ status, security, scanErrorMessage, evidence }: Report): string {
  const readings =
    evidence === null
      ? []
      : (["navigation", "page", "dom", "requests", "scripts"] as const).map((name) => ({ name, reading: evidence[name] }));
  const failures = readings.flatMap(({ name, reading }) => (reading.status === "failed" ? [`${name} ${reading.because}`] : []));
  const measured = security?.measured ? "measured" : "not measured";
  return [status, ...(status === "finished" ? [measured] : [scanErrorMessage ?? ""]), ...failures].join(", ");
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
