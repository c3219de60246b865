/** Measures reads and starts of scans through the API against a bare Elysia route that returns the same bytes. */
import { rmSync } from "node:fs";
import { bulkUrlsMax } from "../../src/api/scans/starts.ts";
import type { ApiReady } from "./api-server.ts";
import type { BareApiInput } from "./bare-elysia.ts";
import { startChild } from "./child.ts";
import { type LoadInput, type LoadResult, load } from "./load.ts";
import type { Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

/** Concurrent connections. */
const connections = 16;
const durationMs = 1_500;
const ratioMin = 0.75;

export async function* benchApi({ rounds }: { readonly rounds: number }): AsyncGenerator<Row> {
  const api = await startChild<ApiReady>("api-server.ts");
  const { port, apiToken, scanToken, dataDir } = api.ready;
  const authorization = `Authorization: Bearer ${apiToken}`;
  const securityPath = `/api/v1/scans/${scanToken}/security`;
  const read = await fetch(`http://127.0.0.1:${port}${securityPath}`, { headers: { authorization: `Bearer ${apiToken}` } });
  const securityJson = await read.text();
  const etag = read.headers.get("etag");
  if (read.status !== 200 || etag === null) throw new Error(`the security endpoint answered ${read.status}: ${securityJson}`);
  const startedJson = JSON.stringify({ token: scanToken, id: 1, status: "queued", statusUrl: `/api/v1/scans/${scanToken}` });
  const bareOf = (headers: BareApiInput["headers"]) =>
    startChild<{ readonly port: number }>("bare-elysia.ts", { securityJson, startedJson, headers } satisfies BareApiInput);
  const bares = [
    { label: "of a bare route, same body", bare: await bareOf({ "content-type": "application/json; charset=utf-8" }) },
    { label: "of a bare route, same body and headers", bare: await bareOf(headersOf(read)) },
  ];

  const get = (...headers: readonly string[]) => requestOf(`GET ${securityPath}`, [authorization, ...headers]);
  const body = JSON.stringify({ url: "https://site.example/" });
  const post = requestOf("POST /api/v1/scans", [authorization, "Content-Type: application/json", `Content-Length: ${body.length}`], body);
  const sizeKb = (securityJson.length / 1_000).toFixed(1);
  const cases = [
    { name: `read security, 200 (${sizeKb} KB)`, request: get(), status: 200, hasTarget: true },
    { name: "read security, 304", request: get(`If-None-Match: ${etag}`), status: 304, hasTarget: true },
    { name: "start a scan, 202, on disk", request: post, status: 202, hasTarget: false },
  ];
  try {
    for (const { name, request, status, hasTarget } of cases) {
      const measure = (at: number, ms: number) => load({ port: at, request, status, connections, durationMs: ms });
      const ports = [port, ...bares.map(({ bare }) => bare.ready.port)];
      // Warm-up, so that all sides run compiled code.
      for (const at of ports) await measure(at, durationMs / 2);
      const results: (readonly LoadResult[])[] = [];
      for (let number = 0; number < rounds; number++) {
        const round: LoadResult[] = [];
        for (const at of ports) round.push(await measure(at, durationMs));
        results.push(round);
      }
      const seriesOf = (at: number) => results.map((round) => round[at] ?? noResult);
      yield rowOf(name, seriesOf(0));
      yield* bares.map(({ label }, at) => ratioRow(label, seriesOf(0), seriesOf(at + 1), hasTarget));
    }
    yield* await bulkRows({ port, authorization, read: get() }, rounds);
    yield await latencyRow("start a scan, 202, on disk, one client", { port, request: post, status: 202 }, rounds);
  } finally {
    await Promise.all([api.stop(), ...bares.map(({ bare }) => bare.stop())]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const noResult: LoadResult = { perSecond: Number.NaN, medianMs: Number.NaN, longestMs: Number.NaN, firstByteMs: Number.NaN };

/** Headers that the framework does not add by itself. */
function headersOf({ headers }: Response): BareApiInput["headers"] {
  return Object.fromEntries([...headers].filter(([name]) => name !== "date" && name !== "content-length"));
}

function rowOf(name: string, series: readonly LoadResult[]): Row {
  return {
    name,
    unit: "/s",
    measured: spreadOf(series.map(({ perSecond }) => perSecond)),
    note: `${connections} connections, ${spreadOf(series.map(({ medianMs }) => medianMs)).median.toFixed(2)} ms each`,
  };
}

interface BulkInput {
  readonly port: number;
  readonly authorization: string;
  /** Raw request that is read beside the bulk requests. */
  readonly read: string;
}

/** Requests that start as many scans as one may, and how long they keep a read waiting. */
async function bulkRows({ port, authorization, read }: BulkInput, rounds: number): Promise<readonly Row[]> {
  const body = JSON.stringify({ urls: Array.from({ length: bulkUrlsMax }, (_, at) => `https://site-${at}.example/a/path?of=${at}`) });
  const headers = [authorization, "Content-Type: application/json", `Content-Length: ${body.length}`];
  const bulk = { port, request: requestOf("POST /api/v1/scans/bulk", headers, body), status: 200, connections: 1, durationMs };
  await load(bulk);
  const results: { readonly bulk: LoadResult; readonly read: LoadResult }[] = [];
  for (let number = 0; number < rounds; number++) {
    const [started, beside] = await Promise.all([load(bulk), load({ ...bulk, request: read })]);
    results.push({ bulk: started, read: beside });
  }
  return [
    { name: `start ${bulkUrlsMax} scans, 200, on disk`, unit: "ms", measured: spreadOf(results.map((each) => each.bulk.medianMs)) },
    { name: "  longest read beside it", unit: "ms", measured: spreadOf(results.map((each) => each.read.longestMs)) },
  ];
}

/** Latency without concurrency, where no request shares a flush. */
async function latencyRow(name: string, request: Pick<LoadInput, "port" | "request" | "status">, rounds: number): Promise<Row> {
  const series: LoadResult[] = [];
  for (let number = 0; number < rounds; number++) series.push(await load({ ...request, connections: 1, durationMs }));
  return { name, unit: "ms", measured: spreadOf(series.map(({ medianMs }) => medianMs)) };
}

function ratioRow(label: string, ours: readonly LoadResult[], theirs: readonly LoadResult[], hasTarget: boolean): Row {
  const measured = spreadOf(ours.map(({ perSecond }, at) => perSecond / (theirs[at] ?? noResult).perSecond));
  const target = { text: `at least ${ratioMin}`, met: measured.median >= ratioMin };
  return { name: `  ${label}`, unit: "ratio", measured, ...(hasTarget ? { target } : {}) };
}

function requestOf(line: string, headers: readonly string[], body = ""): string {
  return [`${line} HTTP/1.1`, "Host: localhost", ...headers, "", body].join("\r\n");
}
