/** Locations that take no scans: private ones while everybody reads, those without workers, and unknown ones; by API, form and command line. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { exitCodes } from "../../../src/cli/exit.ts";
import { skippedNote } from "../../support/binary.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { run } from "../../support/program.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startFleet, stopFleets, type TestFleet, until } from "./fleet.ts";

const testMsMax = 300_000;
const endMsMax = 120_000;
const texts = enGb.pages;

describe.skipIf(natsIsMissing())(`a location that takes no scans${skippedNote}`, () => {
  let fleet: TestFleet;
  let site: TestServer;

  beforeAll(async () => {
    site = await startHttp({ "/": { body: "<!doctype html><title>site</title><p>site" }, "*": { status: 404, body: "not found" } });
    const headArgs = ["--allow-cidr", "127.0.0.0/8", "--allow-port", "any"];
    fleet = await startFleet({ headArgs, headEnv: { ASSAY_READERS: "everybody" } });
    await fleet.enrol("inside", "intranet");
    await fleet.enrol("nobody", "oslo");
  }, testMsMax);

  afterAll(async () => {
    await stopFleets();
    await site?.stop();
  });

  const url = (name: string) => `http://127.0.0.1:${site.port}/?${name}`;
  const stateOf = async (token: string) =>
    (await fleet.api.get<{ readonly status: string }>(`/api/v1/scans/${token}/security`)).body.status;

  async function tokensAt(location: string): Promise<readonly string[]> {
    interface Item {
      readonly token: string;
      readonly location: string;
    }
    const { items } = (await fleet.api.get<{ readonly items: readonly Item[] }>("/api/v1/scans")).body;
    return items.filter((item) => item.location === location).map(({ token }) => token);
  }

  /** The form of the start page; the token of the new scan, or the text of the refusal. */
  async function byForm(location: string): Promise<{ readonly token: string } | { readonly status: number; readonly html: string }> {
    const owner = await fleet.asOwner();
    const answer = await owner.post("/scans", { url: url(`form-${location}`), location }, "/");
    const token = /^\/scans\/([0-9A-Za-z]{22})/.exec(answer.headers.get("location") ?? "")?.[1];
    return token === undefined ? { status: answer.status, html: await answer.text() } : { token };
  }

  /** `assay scan --server`, which waits for the end of its scan. */
  function byCommand(location: string) {
    return run(["scan", url(`command-${location}`), "--server", fleet.head().url, "--location", location, "--verbose"], {
      env: { ASSAY_TOKEN: fleet.token },
    });
  }

  async function expectLocalScan(): Promise<void> {
    expect((await fleet.api.ended(await fleet.scan(url("local")), endMsMax)).status).toBe("finished");
    expect((await fetch(`${fleet.head().url}/readyz`)).status).toBe(200);
  }

  test(
    "is private while everybody reads: its worker names both settings, and its scans wait",
    async () => {
      const refused = await fleet.startWorker("inside", { ready: /takes no jobs/ });
      const lines = refused
        .log()
        .split("\n")
        .filter((line) => line.includes("takes no jobs"));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("may reach private addresses while everybody may read scans");
      expect(lines[0]).toContain('set readers = \\"accounts\\" at the server, or remove the networks from the settings of this worker');
      expect((await fleet.shownWorker("inside")).toLowerCase()).toContain(texts.admin.workers.states["private-location"]);
      const token = await fleet.scan(url("private"), "intranet");
      await expectLocalScan();
      expect(await stateOf(token)).toBe("queued");
      expect(site.requests.filter(({ path }) => path === "/?private")).toEqual([]);
      // Without private addresses the worker is accepted, and cannot reach the site.
      await refused.end();
      await fleet.startWorker("inside", { args: ["--profile", "internet"] });
      expect((await fleet.api.ended(token, endMsMax)).status).toBe("failed");
      expect(site.requests.filter(({ path }) => path === "/?private")).toEqual([]);
    },
    testMsMax,
  );

  test(
    "has no workers: API, form and command line accept scans, which say since when they wait",
    async () => {
      await fleet.scan(url("api-oslo"), "oslo");
      expect(await byForm("oslo")).toHaveProperty("token");
      const commandEnds = byCommand("oslo");
      await until(async () => (await tokensAt("oslo")).length === 3, endMsMax);
      await expectLocalScan();
      const tokens = await tokensAt("oslo");
      for (const token of tokens) {
        expect(await stateOf(token)).toBe("queued");
        expect(await (await (await fleet.asOwner()).get(`/scans/${token}`)).text()).toContain("Waiting for a worker of the location oslo");
      }
      const worker = await fleet.startWorker("nobody", { args: ["--profile", "internet"] });
      for (const token of tokens) expect((await fleet.api.ended(token, endMsMax)).scanErrorMessage).toContain("not allowed");
      const { code, stderr } = await commandEnds;
      expect(code).toBe(exitCodes.target);
      expect(stderr).toMatch(/queued[\s\S]*failed/);
      await worker.end();
    },
    testMsMax,
  );

  test(
    "is unknown: API, form and command line refuse it with the names that there are",
    async () => {
      await expect(fleet.scan(url("api-rome"), "rome")).rejects.toThrow(/^400 .*"location"/);
      const byPage = await byForm("rome");
      expect(byPage).toMatchObject({ status: 400 });
      expect("html" in byPage && byPage.html).toContain(texts.location.unknown);
      const { code, stderr } = await byCommand("rome");
      expect(code).toBe(exitCodes.usage);
      expect(stderr).toContain("location must be one of local, intranet, oslo");
      expect(site.requests.filter(({ path }) => path.endsWith("rome"))).toEqual([]);
    },
    testMsMax,
  );
});
