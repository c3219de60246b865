/** Reads and starts of scans through the API, against a bare route of the same framework that returns the same bytes. */
import { rmSync } from "node:fs";
import type { ApiSaid } from "./api-server.ts";
import type { BareGiven } from "./bare-elysia.ts";
import { startChild } from "./child.ts";
import type { LoadGiven, LoadSaid } from "./load.ts";
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
  const given: BareGiven = { securityJson, startedJson };
  const bare = await startChild<{ readonly port: number }>("bare-elysia.ts", given);

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
      // Compiled code first, on both sides.
      for (const at of [port, bare.said.port]) await ask(at, durationMs / 2);
      const ours: LoadSaid[] = [];
      const theirs: LoadSaid[] = [];
      for (let round = 0; round < rounds; round++) {
        theirs.push(await ask(bare.said.port, durationMs));
        ours.push(await ask(port, durationMs));
      }
      rows.push(...rowsOf(name, ours, theirs, hasAim));
    }
  } finally {
    await Promise.all([api.stop(), bare.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  }
  return rows;
}

function rowsOf(name: string, ours: readonly LoadSaid[], theirs: readonly LoadSaid[], hasAim: boolean): readonly Row[] {
  const ratios = spreadOf(ours.map(({ perSecond }, at) => perSecond / (theirs[at]?.perSecond ?? Number.NaN)));
  const aim = { words: `at least ${ratioMin}`, met: ratios.median >= ratioMin };
  return [
    {
      name,
      unit: "/s",
      measured: spreadOf(ours.map(({ perSecond }) => perSecond)),
      against: spreadOf(theirs.map(({ perSecond }) => perSecond)),
      note: `${connections} connections, ${spreadOf(ours.map(({ medianMs }) => medianMs)).median.toFixed(2)} ms each`,
    },
    { name: "  of a bare route", unit: "ratio", measured: ratios, ...(hasAim ? { aim } : {}) },
  ];
}

function requestOf(line: string, headers: readonly string[], body = ""): string {
  return [`${line} HTTP/1.1`, "Host: localhost", ...headers, "", body].join("\r\n");
}

async function load(given: LoadGiven): Promise<LoadSaid> {
  const child = await startChild<LoadSaid>("load.ts", given);
  await child.stop();
  return child.said;
}
