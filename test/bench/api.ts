/** Reads and starts of scans through the API, against a bare route of the same framework that returns the same bytes. */
import { rmSync } from "node:fs";
import type { ApiSaid } from "./api-server.ts";
import { load } from "./ask.ts";
import type { BareGiven } from "./bare-elysia.ts";
import { startChild } from "./child.ts";
import type { LoadSaid } from "./load.ts";
import type { Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

/** Connections that ask at the same time. */
const connections = 16;
const durationMs = 1_500;
const ratioMin = 0.7;

export async function benchApi({ rounds }: { readonly rounds: number }): Promise<readonly Row[]> {
  const api = await startChild<ApiSaid>("api-server.ts");
  const { port, apiToken, scanToken, dataDir } = api.said;
  const authorization = `Authorization: Bearer ${apiToken}`;
  const securityPath = `/api/v1/scans/${scanToken}/security`;
  const read = await fetch(`http://127.0.0.1:${port}${securityPath}`, { headers: { authorization: `Bearer ${apiToken}` } });
  const securityJson = await read.text();
  const etag = read.headers.get("etag");
  if (read.status !== 200 || etag === null) throw new Error(`the security endpoint answered ${read.status}: ${securityJson}`);
  const startedJson = JSON.stringify({ token: scanToken, id: 1, status: "queued", statusUrl: `/api/v1/scans/${scanToken}` });
  const bareOf = (headers: BareGiven["headers"]) =>
    startChild<{ readonly port: number }>("bare-elysia.ts", { securityJson, startedJson, headers } satisfies BareGiven);
  const bares = [
    { words: "of a bare route, same body", bare: await bareOf({ "content-type": "application/json; charset=utf-8" }) },
    { words: "of a bare route, same body and headers", bare: await bareOf(headersOf(read)) },
  ];

  const get = (...headers: readonly string[]) => requestOf(`GET ${securityPath}`, [authorization, ...headers]);
  const body = JSON.stringify({ url: "https://site.example/" });
  const post = requestOf("POST /api/v1/scans", [authorization, "Content-Type: application/json", `Content-Length: ${body.length}`], body);
  const sizeKb = (securityJson.length / 1_000).toFixed(1);
  const cases = [
    { name: `read security, 200 (${sizeKb} KB)`, request: get(), status: 200, hasAim: true },
    { name: "read security, 304", request: get(`If-None-Match: ${etag}`), status: 304, hasAim: true },
    { name: "start a scan, 202, on disk", request: post, status: 202, hasAim: false },
  ];
  const rows: Row[] = [];
  try {
    for (const { name, request, status, hasAim } of cases) {
      const ask = (at: number, ms: number) => load({ port: at, request, status, connections, durationMs: ms });
      const ports = [port, ...bares.map(({ bare }) => bare.said.port)];
      // Compiled code first, on all sides.
      for (const at of ports) await ask(at, durationMs / 2);
      const taken: (readonly LoadSaid[])[] = [];
      for (let round = 0; round < rounds; round++) {
        const inTurn: LoadSaid[] = [];
        for (const at of ports) inTurn.push(await ask(at, durationMs));
        taken.push(inTurn);
      }
      const seriesOf = (at: number) => taken.map((inTurn) => inTurn[at] ?? nothing);
      rows.push(rowOf(name, seriesOf(0)), ...bares.map(({ words }, at) => ratioRow(words, seriesOf(0), seriesOf(at + 1), hasAim)));
    }
  } finally {
    await Promise.all([api.stop(), ...bares.map(({ bare }) => bare.stop())]);
    rmSync(dataDir, { recursive: true, force: true });
  }
  return rows;
}

const nothing: LoadSaid = { perSecond: Number.NaN, medianMs: Number.NaN };

/** Those that the framework does not write by itself. */
function headersOf({ headers }: Response): BareGiven["headers"] {
  return Object.fromEntries([...headers].filter(([name]) => name !== "date" && name !== "content-length"));
}

function rowOf(name: string, series: readonly LoadSaid[]): Row {
  return {
    name,
    unit: "/s",
    measured: spreadOf(series.map(({ perSecond }) => perSecond)),
    note: `${connections} connections, ${spreadOf(series.map(({ medianMs }) => medianMs)).median.toFixed(2)} ms each`,
  };
}

function ratioRow(words: string, ours: readonly LoadSaid[], theirs: readonly LoadSaid[], hasAim: boolean): Row {
  const measured = spreadOf(ours.map(({ perSecond }, at) => perSecond / (theirs[at] ?? nothing).perSecond));
  const aim = { words: `at least ${ratioMin}`, met: measured.median >= ratioMin };
  return { name: `  ${words}`, unit: "ratio", measured, ...(hasAim ? { aim } : {}) };
}

function requestOf(line: string, headers: readonly string[], body = ""): string {
  return [`${line} HTTP/1.1`, "Host: localhost", ...headers, "", body].join("\r\n");
}
