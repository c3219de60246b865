/** Proofs at the location of workers: the site is reachable from the workers alone. Older workers never get a visit. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skippedNote } from "../../support/binary.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startFleet, stopFleets, type TestFleet, until } from "./fleet.ts";
import { openRawWorker } from "./raw-worker.ts";

const testMsMax = 300_000;
const endMsMax = 180_000;

interface ShownProof {
  readonly status: string;
  readonly errorCode: string | null;
  readonly location?: string;
  readonly proof: { readonly verdict: string; readonly visits: number; readonly headers: readonly { readonly name: string }[] } | null;
}

describe.skipIf(natsIsMissing())(`a proof at a location${skippedNote}`, () => {
  let fleet: TestFleet;
  let site: TestServer;
  /** Pages that browsers wait for, by query; all others are answered at once. */
  const held = new Map<string, (() => void)[]>();
  const holding = new Set<string>();

  beforeAll(async () => {
    site = await startHttp({
      "/": (request, response) => {
        const answer = () => {
          response.setHeader("content-type", "text/html");
          response.end("<!doctype html><title>inside</title><p>inside<script>document.title = 'ran'</script>");
        };
        const path = request.url ?? "";
        if (!holding.has(path) || request.headers["upgrade-insecure-requests"] === undefined) answer();
        else held.set(path, [...(held.get(path) ?? []), answer]);
      },
      "*": { status: 404, body: "not found" },
    });
    fleet = await startFleet();
    for (const [name, location] of [
      ["new-1", "berlin"],
      ["old-1", "oslo"],
      ["new-2", "paris"],
      ["old-2", "paris"],
      ["first", "rome"],
      ["second", "rome"],
      ["cancelled", "bern"],
      ["kept", "wien"],
    ] as const)
      await fleet.enrol(name, location);
  }, testMsMax);

  afterAll(async () => {
    await stopFleets();
    await site?.stop();
  });

  const pathOf = (name: string) => `/?${name}`;

  function start(location: string) {
    const body = { url: `http://127.0.0.1:${site.port}${pathOf(location)}`, location, headers: ["X-Frame-Options: DENY"], draft: "strict" };
    return fetch(`${fleet.head().url}/api/v1/proofs`, {
      method: "POST",
      headers: { authorization: `Bearer ${fleet.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  async function started(location: string): Promise<string> {
    const answer = await start(location);
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { readonly token: string }).token;
  }

  const read = async (token: string) => (await fleet.api.get<ShownProof>(`/api/v1/proofs/${token}`)).body;

  async function ended(token: string): Promise<ShownProof> {
    await until(
      async () => !/^(queued|running)$/.test((await read(token)).status),
      endMsMax,
      () => fleet.head().stderr(),
    );
    return read(token);
  }

  /** The scan has ended, and the browser of a visit waits for the page. */
  async function visiting(location: string, token: string): Promise<void> {
    const step = async () => (await fleet.api.get<{ readonly step: string | null }>(`/api/v1/proofs/${token}`)).body.step;
    await until(
      async () => (await step()) === "baseline",
      endMsMax,
      () => fleet.head().stderr(),
    );
    holding.add(pathOf(location));
    await until(
      () => (held.get(pathOf(location)) ?? []).length > 0,
      endMsMax,
      () => fleet.head().stderr(),
    );
  }

  function release(location: string): void {
    holding.delete(pathOf(location));
    for (const answer of held.get(pathOf(location)) ?? []) answer();
    held.delete(pathOf(location));
  }

  test(
    "is made by its workers, and its jobs and results are gone afterwards",
    async () => {
      const worker = await fleet.startWorker("new-1");
      const token = await started("berlin");
      const shown = await ended(token);
      expect([shown.status, shown.errorCode, shown.location]).toEqual(["finished", null, "berlin"]);
      expect(shown.proof?.verdict).toBe("works");
      expect(shown.proof?.headers.map(({ name }) => name)).toContain("X-Frame-Options");
      const sent = worker.log().match(/result sent/g)?.length ?? 0;
      expect(sent).toBe((shown.proof?.visits ?? 0) + 1);
      expect(fleet.headLines("result dropped")).toEqual([]);
      await worker.end();
    },
    testMsMax,
  );

  test(
    "is refused while a worker announces nothing, by name and release, and while there is none",
    async () => {
      expect((await start("oslo")).status).toBe(409);
      const old = await openRawWorker(fleet.nats.url, fleet.seedOf("old-1"), "oslo", { takes: false });
      await until(async () => (await old.say()).answer === "accepted", endMsMax);
      await until(async () => (await (await start("oslo")).text()).includes("old-1 (0.1.0)"), endMsMax);
      expect((await start("oslo")).status).toBe(409);
      await old.close();
    },
    testMsMax,
  );

  test(
    "fails when an older worker appears, which gets no visit",
    async () => {
      const worker = await fleet.startWorker("new-2");
      const token = await started("paris");
      await visiting("paris", token);
      const old = await openRawWorker(fleet.nats.url, fleet.seedOf("old-2"), "paris");
      expect((await old.say()).answer).toBe("accepted");
      const shown = await ended(token);
      expect([shown.status, shown.errorCode]).toEqual(["failed", "worker-too-old"]);
      release("paris");
      await worker.end();
      const scan = await fleet.scan(`http://127.0.0.1:${site.port}/?scan`, "paris");
      // A last request of the worker that has ended may get the job first: then it comes after the ack wait.
      const { job } = await old.take().catch(() => old.take());
      expect([job.token, job.visit]).toEqual([scan, undefined]);
      await old.close();
    },
    testMsMax,
  );

  test(
    "goes on with another worker when one is killed in a visit",
    async () => {
      const first = await fleet.startWorker("first");
      const token = await started("rome");
      await visiting("rome", token);
      const second = await fleet.startWorker("second");
      await first.end("SIGKILL");
      release("rome");
      const shown = await ended(token);
      expect([shown.status, shown.proof?.verdict]).toEqual(["finished", "works"]);
      await second.end();
    },
    testMsMax,
  );

  test(
    "ends at its worker when it is cancelled",
    async () => {
      const worker = await fleet.startWorker("cancelled");
      const token = await started("bern");
      await visiting("bern", token);
      const answer = await fetch(`${fleet.head().url}/api/v1/proofs/${token}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${fleet.token}` },
      });
      expect(answer.status).toBe(204);
      expect((await read(token)).status).toBe("cancelled");
      await until(() => /scan ended early.*cancelled/.test(worker.log()), endMsMax, worker.log);
      release("bern");
      await worker.end();
    },
    testMsMax,
  );

  test(
    "begins again after the head was killed, and has one result",
    async () => {
      const worker = await fleet.startWorker("kept");
      const token = await started("wien");
      await visiting("wien", token);
      await fleet.restartHead("SIGKILL");
      release("wien");
      const shown = await ended(token);
      expect([shown.status, shown.proof?.verdict]).toEqual(["finished", "works"]);
      expect(fleet.headLines("proof ended", token)).toHaveLength(1);
      await worker.end();
    },
    testMsMax,
  );
});
