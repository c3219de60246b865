/** Measures compressed pages: requests per second, latency for one client, and lists over many scans. */
import { rmSync } from "node:fs";
import type { BarePageInput } from "./bare-page.ts";
import { type Child, startChild } from "./child.ts";
import { type LoadResult, load } from "./load.ts";
import type { PagesInput, PagesReady } from "./pages-server.ts";
import { benchProgress } from "./progress.ts";
import { noteProgress, type Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

/** Concurrent connections. */
const connections = 16;
const durationMs = 1_500;
const oneClientMsMax = 20;
const firstByteMsMax = 5;
/** A query that the page does not know, so that each answer is rendered. */
const notKept = "rendered=1";
/** Lowest rate of a list of many scans relative to one of few; the difference is noise. */
const manyToFewRatioMin = 0.9;
const [few, many] = [1_000, 100_000];

export async function* benchPages({ rounds }: { readonly rounds: number }): AsyncGenerator<Row> {
  noteProgress(`filling stores with ${many + few} scans`);
  const servers = [await serverWith(many), await serverWith(few)] as const;
  const list = { label: `of the same list of ${few.toLocaleString("en")} scans`, ratioMin: manyToFewRatioMin };
  try {
    yield* await measure("a full report, kept", ({ scanToken }) => `/scans/${scanToken}`, servers, rounds, null);
    yield* await measure("a full report, rendered", ({ scanToken }) => `/scans/${scanToken}?${notKept}`, servers, rounds, null);
    yield* await measure(`list of ${many.toLocaleString("en")} scans`, () => "/scans", servers, rounds, list);
    yield* await measure("  of one host, in one band", ({ host }) => `/scans?host=${host}&band=good`, servers, rounds, list);
    yield* await measure("  history of one host", ({ host }) => `/hosts/${host}`, servers, rounds, list);
    yield* benchProgress();
  } finally {
    for (const server of servers) {
      await server.stop();
      rmSync(server.ready.dataDir, { recursive: true, force: true });
    }
  }
}

function serverWith(scans: number): Promise<Child<PagesReady>> {
  return startChild<PagesReady>("pages-server.ts", { scans } satisfies PagesInput);
}

interface ListComparison {
  readonly label: string;
  readonly ratioMin: number;
}

type Servers = readonly [many: Child<PagesReady>, few: Child<PagesReady>];

/** Alternates between the page over many scans, the same over few, and a bare route that returns the same bytes. */
async function measure(
  name: string,
  pathOf: (ready: PagesReady) => string,
  servers: Servers,
  rounds: number,
  list: ListComparison | null,
): Promise<readonly Row[]> {
  const [ours] = servers;
  const { bare, bytes } = await bareRouteOf(ours.ready.port, pathOf(ours.ready));
  const targets = [...servers.map(({ ready }) => ({ port: ready.port, path: pathOf(ready) })), { port: bare.ready.port, path: "/" }];
  const measureAt = (at: number, clients: number, ms: number) => {
    const { port, path } = targets[at] ?? { port: 0, path: "/" };
    return load({ port, request: requestOf(path), status: 200, connections: clients, durationMs: ms });
  };
  const singleClient: LoadResult[] = [];
  const results: (readonly LoadResult[])[] = [];
  try {
    // Warm-up, so that all sides run compiled code.
    for (const at of targets.keys()) await measureAt(at, connections, durationMs / 2);
    for (let number = 0; number < rounds; number++) {
      const round: LoadResult[] = [];
      for (const at of targets.keys()) round.push(await measureAt(at, connections, durationMs));
      results.push(round);
      singleClient.push(await measureAt(0, 1, durationMs / 3));
    }
  } finally {
    await bare.stop();
  }
  const [overMany, overFew, overNone] = targets.map((_place, at) => results.map((round) => round[at]?.perSecond ?? Number.NaN));
  const ratioTo = (series: readonly number[] = []) => spreadOf((overMany ?? []).map((rate, at) => rate / (series[at] ?? Number.NaN)));
  const oneClient = spreadOf(singleClient.map(({ medianMs }) => medianMs));
  const firstByte = spreadOf(singleClient.map(({ firstByteMs }) => firstByteMs));
  const toFew = ratioTo(overFew);
  const againstFew: Row[] =
    list === null
      ? []
      : [
          {
            name: `    ${list.label}`,
            unit: "ratio",
            measured: toFew,
            target: { text: `at least ${list.ratioMin}`, met: toFew.median >= list.ratioMin },
          },
        ];
  return [
    {
      name,
      unit: "/s",
      measured: spreadOf(overMany ?? []),
      note: `${connections} connections, ${(bytes / 1_000).toFixed(1)} KB compressed`,
    },
    {
      name: "    whole response, one client",
      unit: "ms",
      measured: oneClient,
      target: { text: `under ${oneClientMsMax} ms`, met: oneClient.median < oneClientMsMax },
    },
    {
      name: "    first byte, one client",
      unit: "ms",
      measured: firstByte,
      ...(name.endsWith("kept") ? { target: { text: `under ${firstByteMsMax} ms`, met: firstByte.median < firstByteMsMax } } : {}),
    },
    ...againstFew,
    { name: "    of a bare route, same bytes", unit: "ratio", measured: ratioTo(overNone) },
  ];
}

/** A bare route with the body and headers of the page. */
async function bareRouteOf(
  port: number,
  path: string,
): Promise<{ readonly bare: Child<{ readonly port: number }>; readonly bytes: number }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "accept-encoding": "gzip" }, decompress: false });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  // Headers that the framework does not add by itself.
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== "date" && name !== "content-length"));
  return { bare: await startChild("bare-page.ts", { body: body.toString("base64"), headers } satisfies BarePageInput), bytes: body.length };
}

function requestOf(path: string): string {
  return [`GET ${path} HTTP/1.1`, "Host: localhost", "Accept-Encoding: gzip", "Accept-Language: en", "", ""].join("\r\n");
}
