/** Backups of the compiled server while 500 scans run: each is whole, and the last one restored gives the same rows and bodies. */
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SecurityResult } from "../../../src/text/render.ts";
import { apiClient } from "../../support/api-client.ts";
import { compiledBinary, skippedNote } from "../../support/binary.ts";
import { endServers, type ServerUnderTest, serve } from "../../support/program.ts";
import { installed, type PrintedBackup, tablesOf, unfinishedIn } from "./operated.ts";

const scans = 500;
/** Backups beside the scans; the last one must still have scans beside it. */
const backups = 5;
const scansBetween = 15;
const testMsMax = 600_000;
/** A request beside a backup, in milliseconds; the machine runs four scans meanwhile. */
const answerMsMax = 5_000;

interface BulkAnswer {
  readonly items: readonly { readonly token: string }[];
}

describe.skipIf(compiledBinary === null)(`backups under load${skippedNote}`, () => {
  const installation = compiledBinary === null ? null : installed();
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response(`<!doctype html><title>load</title><p>${url}`, { headers: { "content-type": "text/html" } }),
  });

  afterAll(async () => {
    await endServers();
    site.stop(true);
    installation?.remove();
  });

  test(
    "are whole beside 500 scans, and the last one restored answers with the same bodies",
    async () => {
      if (installation === null) throw new Error("no compiled program");
      const { folder, assay, command } = installation;
      const data = join(folder, "data");
      await assay(["user", "create", "first@assay.test", "--data", data]);
      const apiToken = (await assay(["token", "create", "--user", "first@assay.test", "--name", "load", "--data", data])).stdout.trim();
      const start = (dataDir: string) =>
        serve(["--data", dataDir, "--allow-cidr", "127.0.0.1", "--allow-port", String(site.port)], {
          command,
          cwd: folder,
          env: { ASSAY_API_RATE_PER_MINUTE: "100000", ASSAY_GUEST_RATE_PER_HOUR: "100000" },
        });
      const server = await start(data);
      const body = JSON.stringify({ urls: Array.from({ length: scans }, (_, at) => `http://127.0.0.1:${site.port}/${at}`) });
      const headers = { authorization: `Bearer ${apiToken}`, "content-type": "application/json" };
      const started = await fetch(`${server.url}/api/v1/scans/bulk`, { method: "POST", headers, body });
      expect(started.status).toBe(200);
      const api = apiClient(server.url, apiToken);
      const tokens = ((await started.json()) as BulkAnswer).items.map((item) => item.token);
      let finished = 0;
      const countFinished = async () => {
        // Scans of one account run in the order of their start.
        while ((await api.get<SecurityResult>(`/api/v1/scans/${tokens[finished]}/security`)).body.status === "finished") finished++;
        return finished;
      };

      const slowest = watchAnswers(server);
      const archives: string[] = [];
      for (let count = 1; count <= backups; count++) {
        while ((await countFinished()) < count * scansBetween) await Bun.sleep(50);
        const made = await assay(["backup", "create", "--json", "--data", data]);
        expect([made.code, made.stderr]).toEqual([0, ""]);
        const { archive, manifest }: PrintedBackup = JSON.parse(made.stdout);
        expect(manifest.tables.find(({ table }) => table === "scans")?.rows).toBe(scans);
        expect(manifest.tables.find(({ table }) => table === "queueByLane")?.rows).toBeGreaterThan(0);
        archives.push(archive);
      }
      // Not between the backups: on a busy machine, the queue would be empty before the later ones begin.
      for (const [at, archive] of archives.entries()) {
        expect((await assay(["backup", "verify", archive])).code).toBe(0);
        const restored = join(folder, `during-${at}`);
        expect((await assay(["restore", archive, "--data", restored])).code).toBe(0);
        expect(await assay(["doctor", "--store", "--data", restored])).toMatchObject({ code: 0 });
      }
      expect(slowest()).toBeLessThan(answerMsMax);

      const paths = tokens
        .slice(0, 40)
        .flatMap((each) => [`/api/v1/scans/${each}/security`, `/api/v1/scans/${each}/result`, `/scans/${each}.csv`, `/scans/${each}.json`]);
      const before = await bodies(server, paths, headers);
      expect(await server.end("SIGTERM")).toBe(0);
      const last = await assay(["backup", "create", "--out", join(folder, "last.tar.zst"), "--data", data]);
      expect(last.code).toBe(0);
      const elsewhere = join(folder, "elsewhere");
      expect((await assay(["restore", join(folder, "last.tar.zst"), "--data", elsewhere])).code).toBe(0);
      expect(await tablesOf(elsewhere)).toEqual(await tablesOf(data));
      const restored = await start(elsewhere);
      expect(await bodies(restored, paths, headers)).toEqual(before);
      expect(await restored.end("SIGTERM")).toBe(0);
      expect([unfinishedIn(folder), unfinishedIn(join(data, "backups")), unfinishedIn(elsewhere)]).toEqual([[], [], []]);
    },
    testMsMax,
  );

  /** Asks for the list again and again; gives the milliseconds of the slowest answer so far, and ends. */
  function watchAnswers({ url }: ServerUnderTest): () => number {
    let isDone = false;
    let slowestMs = 0;
    void (async () => {
      while (!isDone) {
        const began = performance.now();
        expect((await fetch(`${url}/scans`)).status).toBe(200);
        slowestMs = Math.max(slowestMs, performance.now() - began);
        await Bun.sleep(20);
      }
    })();
    return () => {
      isDone = true;
      return slowestMs;
    };
  }

  /** Status and body of each path; the address of the server is the only difference that there may be. */
  function bodies({ url }: ServerUnderTest, paths: readonly string[], headers: Record<string, string>): Promise<readonly string[]> {
    return Promise.all(
      paths.map(async (path) => {
        const answer = await fetch(url + path, { headers });
        return `${path} ${answer.status} ${(await answer.text()).replaceAll(url, "")}`;
      }),
    );
  }
});
