/** Pages as visitors get them, packed: how many in a second, how soon for one, and whether lists slow down as scans add up. */
import { rmSync } from "node:fs";
import { load } from "./ask.ts";
import type { BarePageGiven } from "./bare-page.ts";
import { type Child, startChild } from "./child.ts";
import type { LoadSaid } from "./load.ts";
import type { PagesGiven, PagesSaid } from "./pages-server.ts";
import { benchProgress } from "./progress.ts";
import type { Row } from "./report.ts";
import { spreadOf } from "./spread.ts";

/** Connections that ask at the same time. */
const connections = 16;
const durationMs = 1_500;
const oneClientMsMax = 20;
/** What a list of many scans may lose against one of few; the rest is the noise of the machine. */
const manyOfFewMin = 0.9;
const [few, many] = [1_000, 100_000];

export async function benchPages({ rounds }: { readonly rounds: number }): Promise<readonly Row[]> {
  const servers = [await serverWith(many), await serverWith(few)] as const;
  const list = { against: `of the same list of ${few.toLocaleString("en")} scans`, ratioMin: manyOfFewMin };
  try {
    return [
      ...(await measure("a full report", ({ scanToken }) => `/scans/${scanToken}`, servers, rounds, null)),
      ...(await measure(`${many.toLocaleString("en")} scans, listed`, () => "/scans", servers, rounds, list)),
      ...(await measure("  of one host, in one band", ({ host }) => `/scans?host=${host}&band=good`, servers, rounds, list)),
      ...(await measure("  history of one host", ({ host }) => `/hosts/${host}`, servers, rounds, list)),
      ...(await benchProgress()),
    ];
  } finally {
    for (const server of servers) {
      await server.stop();
      rmSync(server.said.dataDir, { recursive: true, force: true });
    }
  }
}

function serverWith(scans: number): Promise<Child<PagesSaid>> {
  return startChild<PagesSaid>("pages-server.ts", { scans } satisfies PagesGiven);
}

interface AgainstFew {
  readonly against: string;
  readonly ratioMin: number;
}

type Servers = readonly [many: Child<PagesSaid>, few: Child<PagesSaid>];

/** In turn: the page over many scans, the same over few, and a bare route that returns the same bytes. */
async function measure(
  name: string,
  pathOf: (said: PagesSaid) => string,
  servers: Servers,
  rounds: number,
  list: AgainstFew | null,
): Promise<readonly Row[]> {
  const [ours] = servers;
  const { bare, bytes } = await bareRouteOf(ours.said.port, pathOf(ours.said));
  const places = [...servers.map(({ said }) => ({ port: said.port, path: pathOf(said) })), { port: bare.said.port, path: "/" }];
  const ask = (at: number, clients: number, ms: number) => {
    const { port, path } = places[at] ?? { port: 0, path: "/" };
    return load({ port, request: requestOf(path), status: 200, connections: clients, durationMs: ms });
  };
  const alone: LoadSaid[] = [];
  const taken: (readonly LoadSaid[])[] = [];
  try {
    // Compiled code first, on all sides.
    for (const at of places.keys()) await ask(at, connections, durationMs / 2);
    for (let round = 0; round < rounds; round++) {
      const inTurn: LoadSaid[] = [];
      for (const at of places.keys()) inTurn.push(await ask(at, connections, durationMs));
      taken.push(inTurn);
      alone.push(await ask(0, 1, durationMs / 3));
    }
  } finally {
    await bare.stop();
  }
  const [overMany, overFew, overNone] = places.map((_place, at) => taken.map((inTurn) => inTurn[at]?.perSecond ?? Number.NaN));
  const ratioTo = (series: readonly number[] = []) => spreadOf((overMany ?? []).map((rate, at) => rate / (series[at] ?? Number.NaN)));
  const oneClient = spreadOf(alone.map(({ medianMs }) => medianMs));
  const toFew = ratioTo(overFew);
  const againstFew: Row[] =
    list === null
      ? []
      : [
          {
            name: `    ${list.against}`,
            unit: "ratio",
            measured: toFew,
            aim: { words: `at least ${list.ratioMin}`, met: toFew.median >= list.ratioMin },
          },
        ];
  return [
    { name, unit: "/s", measured: spreadOf(overMany ?? []), note: `${connections} connections, ${(bytes / 1_000).toFixed(1)} KB packed` },
    {
      name: "    whole answer, one client",
      unit: "ms",
      measured: oneClient,
      aim: { words: `under ${oneClientMsMax} ms`, met: oneClient.median < oneClientMsMax },
    },
    ...againstFew,
    { name: "    of a bare route, same bytes", unit: "ratio", measured: ratioTo(overNone) },
  ];
}

/** Of the page as it is now, with its headers. */
async function bareRouteOf(
  port: number,
  path: string,
): Promise<{ readonly bare: Child<{ readonly port: number }>; readonly bytes: number }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "accept-encoding": "gzip" }, decompress: false });
  const body = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  // Those that the framework does not write by itself.
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== "date" && name !== "content-length"));
  return { bare: await startChild("bare-page.ts", { body: body.toString("base64"), headers } satisfies BarePageGiven), bytes: body.length };
}

function requestOf(path: string): string {
  return [`GET ${path} HTTP/1.1`, "Host: localhost", "Accept-Encoding: gzip", "Accept-Language: en", "", ""].join("\r\n");
}
