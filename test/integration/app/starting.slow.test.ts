/** A server that checks its store after an unclean end: it answers meanwhile, on the socket that serves it afterwards. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { walkStore } from "../../../src/store/store-walk.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { endServers, fromSource, run, serve } from "../../support/program.ts";
import { putStore, withDamagedLeaves, writeSmallStore } from "../store/damaged-store.ts";

let whole: Buffer;
let folder: string;
let dataDir: string;
let port: number;

beforeAll(async () => {
  whole = await writeSmallStore();
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-starting-"));
  dataDir = join(folder, "data");
  port = portWithoutListener();
});

afterEach(async () => {
  await endServers();
  rmSync(folder, { recursive: true });
});
afterAll(endServers);

/** Arguments and options of a server whose check is held up, by a module that only the program of the sources can load. */
function unclean(store: Buffer) {
  putStore(dataDir, store);
  writeFileSync(join(dataDir, "lock"), "running\n");
  expect(Bun.spawnSync(["mkfifo", join(folder, "pipe")]).success).toBe(true);
  const preload = resolve(import.meta.dirname, "../../support/held-check.ts");
  return {
    args: ["--data", dataDir, "--listen", `127.0.0.1:${port}`, "--browser-path", "/nonexistent"],
    options: { command: fromSource, env: { BUN_OPTIONS: `--preload ${preload}`, HELD_CHECK_PIPE: join(folder, "pipe") } },
  };
}

/** Resolves when the check has begun; closing the pipe lets it go on. */
function checkBegun(): Promise<FileHandle> {
  return open(join(folder, "pipe"), "w");
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });

/** Raw answers to requests over one connection. */
async function openConnection(): Promise<{ get(path: string): Promise<string>; close(): void }> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  await new Promise<void>((done) => socket.once("connect", done));
  return {
    get: (path) =>
      new Promise((answered) => {
        socket.once("data", answered);
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      }),
    close: () => socket.destroy(),
  };
}

test("probes, API and pages answer while the store is checked, and the same connection serves afterwards", async () => {
  const { args, options } = unclean(whole);
  let isAnnounced = false;
  const starting = serve(args, options).then((server) => {
    isAnnounced = true;
    return server;
  });
  const pipe = await checkBegun();
  const connection = await openConnection();
  expect(await connection.get("/healthz")).toContain("200 OK");

  const ready = await get("/readyz");
  expect([ready.status, await ready.json()]).toEqual([
    503,
    {
      errorMessage: "Not ready: the store is checked after an end out of order, 0 % so far.",
      reasons: [{ source: "store", because: expect.any(String), progress: { percent: 0, table: null } }],
    },
  ]);

  const api = await get("/api/v1/scans", { authorization: "Bearer any" });
  const { errorMessage, reasons } = (await api.json()) as { errorMessage: string; reasons: readonly { source: string }[] };
  expect([api.status, api.headers.get("content-type")]).toEqual([503, "application/json; charset=utf-8"]);
  expect([errorMessage, reasons.map(({ source }) => source)]).toEqual(["The server is starting; try again in 5 s.", ["store"]]);
  expect(api.headers.get("retry-after")).toBe("5");

  const page = await get("/scans/anything", { "accept-language": "de" });
  const html = await page.text();
  expect([page.status, page.headers.get("retry-after"), page.headers.get("cache-control")]).toEqual([503, "5", "no-store"]);
  expect(html).toContain('<html lang="de-DE">');
  expect(html).toContain("0 % sind gepr\u00fcft");
  expect(html).toContain('http-equiv="refresh" content="5"');
  expect(isAnnounced).toBe(false);

  await pipe.close();
  const server = await starting;
  expect(server.url).toBe(`http://127.0.0.1:${port}`);
  expect(await connection.get("/healthz")).toContain("200 OK");
  expect(await connection.get("/scans")).toContain("200 OK");
  connection.close();
  const { reasons: later } = (await (await get("/readyz")).json()) as { reasons: readonly { source: string }[] };
  expect(later.map(({ source }) => source)).toEqual(["browser"]);
  expect(await server.end("SIGTERM")).toBe(0);
});

test("a damaged store still ends the start with exit code 6 and one sentence", async () => {
  const { args, options } = unclean(withDamagedLeaves(whole, '"token":"'));
  const ended = run(["serve", ...args], options);
  const pipe = await checkBegun();
  expect((await get("/healthz")).status).toBe(200);
  await pipe.close();
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([6, expect.stringMatching(/assay: data directory \S+ is damaged \(table scans: /)]);
  expect(stderr).not.toContain("listens on");
  await expect(get("/healthz")).rejects.toThrow();
});

test("the progress of the check rises to all pages", async () => {
  putStore(dataDir, whole);
  const percents: number[] = [];
  await walkStore(
    dataDir,
    () => {},
    (percent) => percents.push(percent),
  );
  expect(percents).toEqual([...new Set(percents)].sort((one, other) => one - other));
  expect(percents.at(-1)).toBe(100);
  // Early steps are small: the size of all tables is known from the start.
  expect(percents[0]).toBeLessThan(10);
});
