/**
 * Sends random requests of every operation to a server process, with the token of an administrator. Each answer has a status that the
 * operation declares, and no trace of the program. The log has no fault, and the memory of the process stays level.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { apiOperations } from "../../src/api/operations.ts";
import { commonRefusals, tooLong } from "../../src/api/responses.ts";
import { openStore } from "../../src/store/store.ts";
import { startDnsServer } from "../support/dns-server.ts";
import { storeSite } from "../support/finished-scans.ts";
import { fromSource, type ServerUnderTest, serve } from "../support/program.ts";
import { type FuzzedRequest, knownRecord, requestsOf } from "./request-inputs.ts";

const atOnce = 12;
/** Requests that are generated together. */
const batch = 600;
const failuresMax = 10;
/** No request waits longer for its answer, also on a busy machine. */
const answerMsMax = 60_000;
/** The memory is measured so many times. The caches of the server fill in the first half. */
const measurements = 10;
/** Growth of the second half that is allowed: its share, and bytes above. */
const growthShareMax = 0.25;
const growthBytesMax = 48 * 2 ** 20;
/** Fewer requests say nothing about the memory. */
const requestsForGrowth = 20_000;
/** Events of a machine without a browser, as this one is. */
const expectedErrors = ["browser does not start", "browser not available"];
const settings = { ASSAY_API_RATE_PER_MINUTE: "100000", ASSAY_SCAN_CONCURRENCY: "1", ASSAY_LOG_FORMAT: "json" };
/** Where an operation declares it, a part of the machine may be missing or full. */
const unavailableStatus = 503;

export interface RequestFuzz {
  readonly requests: number;
  readonly seed: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers 503 by operation. */
  readonly unavailable: Readonly<Record<string, number>>;
  /** Resident memory of the process without files, in MiB, in equal distances. */
  readonly memoryMib: readonly number[];
  readonly failures: readonly string[];
}

/** What is wrong with an answer. */
export function complaintsOn(
  { operation, path }: Pick<FuzzedRequest, "operation" | "path">,
  status: number,
  text: string,
): readonly string[] {
  const { id, answers, refusals, body, method } = operation;
  const declared = { ...answers, ...commonRefusals, ...(body?.bytesMax != null && tooLong(body.bytesMax)), ...refusals };
  const complaints: string[] = [];
  const shown = `${id} ${method} ${path.slice(0, 120)}`;
  // A path that names no record reaches other routes, or none.
  const isDeclared = status in declared || status === 404 || status === 405 || status === 400 || status === 304;
  if (status >= 500 && status !== unavailableStatus) complaints.push(`${shown}: ${status} ${text.slice(0, 200)}`);
  else if (!isDeclared) complaints.push(`${shown}: ${status} is not declared`);
  if (/^\s+at \S+.*:\d+|node_modules\/|\/src\/\w+\/|\$bunfs/m.test(text)) complaints.push(`${shown}: a trace in ${text.slice(0, 300)}`);
  if (status >= 400 && !/^\{.*"errorMessage":"[^"]/.test(text))
    complaints.push(`${shown}: ${status} without a message: ${text.slice(0, 200)}`);
  return complaints;
}

/** Whether the second half used more memory than the first one may explain. `memory`: bytes in equal distances. */
export function hasGrown(memory: readonly number[]): boolean {
  const half = memory.slice(Math.floor(memory.length / 2));
  const [first = 0] = half;
  return (half.at(-1) ?? 0) > first * (1 + growthShareMax) + growthBytesMax;
}

/** Names of records by the first part of the path, the latest last. */
type Records = Map<string, string[]>;

/** Records that are remembered of each kind. */
const recordsMax = 40;

function note(records: Records, kind: string, name: unknown): void {
  if (typeof name !== "number" && (typeof name !== "string" || name.length > 40)) return;
  const names = records.get(kind) ?? [];
  if (!names.includes(String(name))) names.push(String(name));
  records.set(kind, names.slice(-recordsMax));
}

/** First part of the path, as in `sites`. */
function kindOf(path: string): string {
  return /^\/api\/v1\/(?:admin\/)?(\w+)/.exec(path)?.[1] ?? "";
}

/** Remembers the records that an answer names. */
function noteAll(records: Records, path: string, text: string): void {
  if (!text.startsWith("{")) return;
  const { id, token, items, site } = JSON.parse(text);
  const kind = kindOf(path);
  const named = [{ id, token }, site, ...(Array.isArray(items) ? items.flatMap((each) => [each, each?.site]) : [])];
  for (const each of named) note(records, kind, ["scans", "proofs"].includes(kind) ? each?.token : each?.id);
}

/** Hosts that sites and scans have. */
const hosts = 900;

/** The request with records that exist, or existed, and with a host by its number. */
function filled(records: Records, request: FuzzedRequest, at: number): FuzzedRequest {
  const known = (kind: string) => {
    const names = records.get(kind) ?? ["1"];
    return names[at % names.length] ?? "1";
  };
  const path = request.path.replaceAll(knownRecord, known(kindOf(request.path)));
  if (typeof request.body !== "string") return { ...request, path };
  const named = request.body.replaceAll(new RegExp(`"${knownRecord}(\\w+)"`, "g"), (_placeholder, kind: string) => {
    const name = known(kind);
    return /^\d+$/.test(name) ? name : JSON.stringify(name);
  });
  return { ...request, path, body: named.replaceAll("bakery.example", `site-${at % hosts}.example`) };
}

/** Stores an account and some scans. Gives an API token and the tokens of the scans. */
async function fillData(data: string): Promise<{ readonly token: string; readonly tokens: readonly string[] }> {
  const store = openStore(data);
  const now = new Date();
  const account = await store.accounts.create({ email: "fuzz@assay.test", plan: "agency", admin: true, now });
  if (typeof account === "string") throw new Error(account);
  const tokens: string[] = [];
  for (const name of ["shop", "bare", "old", "sound"] as const)
    tokens.push((await storeSite(store, name, { at: now, accountId: account.id })).token);
  const { value } = await store.apiTokens.create({ accountId: account.id, name: "fuzz", now });
  await store.close();
  return { token: value, tokens };
}

function memoryOf({ pid }: ServerUnderTest): number {
  const [, kib = "0"] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
  return Number(kib) * 1024;
}

/** Faults in the log. */
function loggedFaults(log: string): readonly string[] {
  const errors = log.split("\n").filter((line) => line.includes('"level":"error"'));
  return errors.filter((line) => !expectedErrors.some((event) => line.includes(`"${event}"`))).map((line) => `log: ${line.slice(0, 500)}`);
}

async function send({ url }: ServerUnderTest, token: string, { operation, path, headers, body }: FuzzedRequest) {
  const response = await fetch(url + path, {
    method: operation.method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(answerMsMax),
  });
  return { status: response.status, text: await response.text() };
}

/** `seed`: of an earlier run, to repeat it. */
export async function fuzzRequests(requests: number, seed = Math.floor(Math.random() * 2 ** 31)): Promise<RequestFuzz> {
  const data = mkdtempSync(join(tmpdir(), "assay-fuzz-"));
  const dns = await startDnsServer({});
  const { token, tokens } = await fillData(data);
  const records: Records = new Map([["scans", [...tokens]]]);
  const env = { ...settings, ASSAY_BROWSER_PATH: "/bin/false" };
  const server = await serve(["--data", data, "--dns", dns.address], { command: fromSource, env });
  const statuses: Record<string, number> = {};
  const unavailable: Record<string, number> = {};
  const memory: number[] = [];
  const failures = new Set<string>();
  const add = (complaints: readonly string[]) => {
    for (const each of complaints) if (failures.size < failuresMax) failures.add(each);
  };
  let sent = 0;
  async function sendAll(waiting: FuzzedRequest[]): Promise<void> {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const request = filled(records, next, sent);
      const { operation, path } = request;
      try {
        const { status, text } = await send(server, token, request);
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === unavailableStatus) unavailable[operation.id] = (unavailable[operation.id] ?? 0) + 1;
        add(complaintsOn(request, status, text));
        if (status < 300) noteAll(records, path, text);
      } catch (error) {
        add([`${operation.id} ${path.slice(0, 120)}: no answer: ${(error as Error).message}`]);
      }
      if (++sent % Math.ceil(requests / measurements) === 0) memory.push(memoryOf(server));
    }
  }
  try {
    const inputs = requestsOf(apiOperations);
    for (let from = 0; from < requests; from += batch) {
      const waiting = fc.sample(inputs, { numRuns: Math.min(batch, requests - from), seed: seed + from });
      await Promise.all(Array.from({ length: atOnce }, () => sendAll(waiting)));
    }
    if (requests >= requestsForGrowth && hasGrown(memory)) add([`the memory grew: ${memory.map(mib).join(", ")} MiB`]);
    add(loggedFaults(server.stderr()));
  } finally {
    const code = await server.end("SIGTERM");
    if (code !== 0) add([`the server ended with ${code}`]);
    dns.stop();
    rmSync(data, { recursive: true, force: true });
  }
  return { requests: sent, seed, statuses, unavailable, memoryMib: memory.map(mib), failures: [...failures] };
}

function mib(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
