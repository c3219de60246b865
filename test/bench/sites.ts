/** Measures the list of watched sites: the first byte of a page of the list, kept, after a change, and in another order. */
import { rmSync } from "node:fs";
import { startChild } from "./child.ts";
import { type LoadResult, load } from "./load.ts";
import type { Row } from "./report.ts";
import type { SitesInput, SitesReady } from "./sites-server.ts";
import { spreadOf } from "./spread.ts";

const sites = 1_000;
const firstByteMsMax = 20;
const durationMs = 1_000;
/** Orders of the list that are asked for one after another. Each is another list. */
const orders = ["name", "client", "score", "change", "open", "certificate", "last", "next"].flatMap((sort) => [
  `?sort=${sort}`,
  `?sort=${sort}&dir=desc`,
]);

export async function benchSites({ rounds }: { readonly rounds: number }): Promise<readonly Row[]> {
  const server = await startChild<SitesReady>("sites-server.ts", { sites } satisfies SitesInput);
  const { port, controlPort, cookie, dataDir } = server.ready;
  const ask = async (query = "") => {
    const beganMs = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/sites${query}`, {
      headers: { cookie, "accept-encoding": "gzip" },
      decompress: false,
    });
    const firstByteMs = performance.now() - beganMs;
    const body = await answer.bytes();
    if (answer.status !== 200) throw new Error(`/sites answered ${answer.status}`);
    return { firstByteMs, bytes: body.length };
  };
  try {
    // Nothing is rendered yet.
    const { firstByteMs: coldMs } = await ask();
    const { bytes } = await ask();
    const request = ["GET /sites HTTP/1.1", "Host: localhost", "Accept-Encoding: gzip", `Cookie: ${cookie}`, "", ""].join("\r\n");
    const kept: LoadResult[] = [];
    for (let round = 0; round < rounds; round++) kept.push(await load({ port, request, status: 200, connections: 1, durationMs }));
    const changed: number[] = [];
    for (let round = 0; round < 3 * rounds; round++) {
      await fetch(`http://127.0.0.1:${controlPort}/`);
      changed.push((await ask()).firstByteMs);
    }
    const ordered: number[] = [];
    for (const order of orders) ordered.push((await ask(order)).firstByteMs);
    return [
      firstByteRow(
        `list of ${sites} watched sites, first byte`,
        kept.map(({ firstByteMs }) => firstByteMs),
        `${(bytes / 1_000).toFixed(1)} KB as sent`,
      ),
      { name: "    whole response, one client", unit: "ms", measured: spreadOf(kept.map(({ medianMs }) => medianMs)) },
      firstByteRow("    first byte after a change of one site", changed),
      firstByteRow("    first byte in an order not asked for before", ordered),
      { name: "    first byte after a start, when no row is cached", unit: "ms", measured: spreadOf([coldMs]) },
    ];
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function firstByteRow(name: string, values: readonly number[], note?: string): Row {
  const measured = spreadOf(values);
  const target = { text: `under ${firstByteMsMax} ms`, met: measured.median < firstByteMsMax };
  return { name, unit: "ms", measured, target, ...(note === undefined ? {} : { note }) };
}
