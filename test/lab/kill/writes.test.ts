/** A server that is killed while clients start and cancel scans and change sites: nothing that it accepted is lost, and nothing is doubled. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { type WrittenServer, writtenServer } from "./killed-server.ts";
import { openKiller, rounds, seed, type Tally, tallyOf, testMsMax } from "./killing.ts";

const clients = 6;
/** Within which a server is killed after its start. */
const killWithinMs = 1_000;
/** Between two requests of a client, at most. */
const pauseMsMax = 40;
/** URLs of a request that starts many scans. */
const bulkUrls = 10;
/** Scans that may wait when a client starts more: the queue holds 1,000. */
const waitingMax = 300;
/** Sites that are there at the same time, at most. */
const sitesMax = 60;
const endMsMax = 120_000;

interface KnownScan {
  readonly url: string;
  /** Null before an answer has named it. */
  token: string | null;
  /** `unknown`: the cancellation got no answer. `later`: it had begun or was over. */
  cancelled: "no" | "asked" | "yes" | "later";
  /** Key of the request that starts it, and all its URLs. */
  readonly start: { readonly key: string; readonly urls: readonly string[] };
}

interface KnownSite {
  readonly url: string;
  id: number | null;
  names: readonly string[];
  removal: "no" | "asked" | "yes";
}

interface Listed {
  readonly token: string;
  readonly url: string;
  readonly status: string;
}

describe.skipIf(compiledBinary === null)(`kill -9${skippedNote}, seed ${seed}`, () => {
  const { installation, random, expectSound } = openKiller();

  test(
    "writes: of a server that is killed are whole or absent, and each that was accepted is there once",
    async () => {
      const tally = tallyOf("writes", "kills", "requests", "without an answer", "scans", "cancelled", "sites");
      const server = await writtenServer(installation());
      const load = createLoad(server, random, tally);
      await server.start();
      for (let round = 0; round < rounds; round++) {
        const running = load.run();
        // A fault of a client is reported below, when the server is gone.
        running.catch(() => {});
        await Bun.sleep(random() * killWithinMs);
        load.stop();
        await server.kill();
        tally.add("kills");
        await running;
        await expectSound(join(installation().folder, "data"));
        await server.start();
        await load.check();
      }
      await load.expectEnds();
      await server.end();
      await expectSound(join(installation().folder, "data"));
      tally.print();
    },
    testMsMax,
  );
});

/** Clients that write until they are stopped, and what they know from the answers. */
function createLoad({ ask, list }: WrittenServer, random: () => number, tally: Tally) {
  const scans = new Map<string, KnownScan>();
  const sites = new Map<string, KnownSite>();
  let made = 0;
  let stopped = false;
  const oneOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];

  async function request<T>(...args: Parameters<WrittenServer["ask"]>) {
    tally.add("requests");
    const reply = await ask<T>(...args);
    if (reply === null) tally.add("without an answer");
    return reply;
  }

  /** Starts one scan or many, or repeats it with its key. */
  async function start({ key, urls }: KnownScan["start"]): Promise<void> {
    const headers = { "idempotency-key": key };
    if (urls.length === 1) {
      const reply = await request<{ token: string }>("POST", "/scans", { url: urls[0] }, headers);
      if (reply !== null) expect(reply.status).toBe(202);
      note(reply === null ? [] : [reply.body.token]);
    } else {
      const reply = await request<{ items: { token: string }[] }>("POST", "/scans/bulk", { urls }, headers);
      if (reply !== null) expect(reply.status).toBe(200);
      note(reply === null ? [] : reply.body.items.map(({ token }) => token));
    }
    function note(tokens: readonly string[]): void {
      tokens.forEach((token, at) => {
        const known = scans.get(urls[at] ?? "");
        if (known === undefined) throw new Error(`there is no start of ${urls[at]}`);
        // A repeated start gives the same scan again.
        expect(known.token ?? token).toBe(token);
        known.token = token;
      });
    }
  }

  function startNew(count: number): Promise<void> {
    const urls = Array.from({ length: count }, () => `http://10.0.0.1/${made++}`);
    const start1 = { key: `key-${made}`, urls };
    for (const url of urls) scans.set(url, { url, token: null, cancelled: "no", start: start1 });
    tally.add("scans", count);
    return start(start1);
  }

  const cancellable = () => [...scans.values()].filter(({ token, cancelled }) => token !== null && cancelled === "no");

  async function cancel(): Promise<void> {
    const scan = oneOf(cancellable());
    if (scan === undefined) return startNew(1);
    scan.cancelled = "asked";
    const reply = await request("DELETE", `/scans/${scan.token}`);
    if (reply === null) return;
    expect([204, 409]).toContain(reply.status);
    scan.cancelled = reply.status === 204 ? "yes" : "later";
    if (reply.status === 204) tally.add("cancelled");
  }

  async function changeSite(): Promise<void> {
    const site = oneOf([...sites.values()].filter(({ id, removal }) => id !== null && removal === "no"));
    if (site === undefined || (sites.size < sitesMax && random() < 0.4)) {
      const url = `https://site-${made++}.example/`;
      const added: KnownSite = { url, id: null, names: ["first"], removal: "no" };
      sites.set(url, added);
      tally.add("sites");
      const reply = await request<{ id: number }>("POST", "/sites", { url, name: "first", paused: true });
      if (reply === null) return;
      expect(reply.status).toBe(201);
      added.id = reply.body.id;
    } else if (random() < 0.6) {
      // Another client may change it at the same time, so that the order of the two is not known.
      const name = `name-${made++}`;
      site.names = [...site.names, name];
      const reply = await request("PATCH", `/sites/${site.id}`, { name });
      if (reply !== null) expect([200, 404]).toContain(reply.status);
    } else {
      site.removal = "asked";
      const reply = await request("DELETE", `/sites/${site.id}`);
      if (reply === null) return;
      expect(reply.status).toBe(204);
      site.removal = "yes";
    }
  }

  async function client(): Promise<void> {
    while (!stopped) {
      const drawn = random();
      if (cancellable().length > waitingMax) await cancel();
      else if (drawn < 0.3) await startNew(1);
      else if (drawn < 0.35) await startNew(bulkUrls);
      else if (drawn < 0.8) await cancel();
      else await changeSite();
      await Bun.sleep(random() * pauseMsMax);
    }
  }

  /** After a start: repeats what got no answer, and compares all lists with the answers. */
  async function check(): Promise<void> {
    const unanswered = new Set([...scans.values()].filter(({ token }) => token === null).map((scan) => scan.start));
    for (const each of unanswered) await start(each);
    const listed = Map.groupBy(await list<Listed>("/scans"), ({ url }) => url);
    const found = (url: string) => (listed.get(url) ?? []).map(({ token }) => token);
    for (const [url, scan] of scans) {
      if (scan.cancelled === "asked") scan.cancelled = found(url).length === 0 ? "yes" : "later";
      const expected = scan.cancelled === "yes" ? [] : [scan.token];
      expect({ url, start: scan.start.key, tokens: found(url) }).toEqual({ url, start: scan.start.key, tokens: expected });
      listed.delete(url);
      // It is known to be gone, and nothing starts it again.
      if (scan.cancelled === "yes") scans.delete(url);
    }
    expect([...listed.keys()]).toEqual([]);
    await checkSites();
  }

  async function checkSites(): Promise<void> {
    const listed = Map.groupBy(await list<{ id: number; url: string; name: string }>("/sites"), ({ url }) => url);
    for (const [url, site] of sites) {
      const found = listed.get(url) ?? [];
      listed.delete(url);
      const mayBeAbsent = site.id === null || site.removal !== "no";
      const mayBeThere = site.removal !== "yes";
      expect({ url, count: found.length }).toEqual({ url, count: found.length === 0 && mayBeAbsent ? 0 : Number(mayBeThere) });
      const [one] = found;
      if (one === undefined) sites.delete(url);
      else {
        expect(site.names).toContain(one.name);
        expect(site.id ?? one.id).toBe(one.id);
        Object.assign(site, { id: one.id, names: [one.name], removal: "no" });
      }
    }
    expect([...listed.keys()]).toEqual([]);
  }

  return {
    check,
    run: () => {
      stopped = false;
      return Promise.all(Array.from({ length: clients }, client));
    },
    stop: () => {
      stopped = true;
    },
    /** Each scan that was not cancelled ends once the server may work on. */
    expectEnds: async () => {
      for (const { token } of (await list<Listed>("/scans")).filter(({ status }) => status === "queued"))
        expect([204, 409]).toContain((await ask("DELETE", `/scans/${token}`))?.status ?? 0);
      const deadline = performance.now() + endMsMax;
      const open = async () => (await list<Listed>("/scans")).filter(({ status }) => !["finished", "failed"].includes(status));
      while ((await open()).length > 0) {
        if (performance.now() > deadline) expect(await open()).toEqual([]);
        await Bun.sleep(100);
      }
    },
  };
}
