/** Workers of older and newer releases. A proxy changes the versions in what they say, so that real processes meet. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { evidenceVersion } from "../../../src/evidence/evidence.ts";
import { fleetProtocol } from "../../../src/fleet/messages.ts";
import { skippedNote } from "../../support/binary.ts";
import { type Interposer, type InterposerOptions, type Passage, startInterposer } from "../../support/interposer.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startFleet, stopFleets, type TestFleet, type TestWorker, until } from "./fleet.ts";

const testMsMax = 300_000;
const endMsMax = 120_000;
const takesNoJobs = /takes no jobs/;
const { states } = enGb.pages.admin.workers;

/** The version has one digit, like the one that it replaces: no length of a message changes. */
function stating(field: "v" | "evidenceVersion", version: number): Passage {
  const own = `"${field}":${field === "v" ? fleetProtocol : evidenceVersion},`;
  return (bytes) => Buffer.from(bytes.toString("latin1").replaceAll(own, `"${field}":${version},`), "latin1");
}

const refusals = [
  {
    name: "older-protocol",
    link: { toServer: stating("v", 0) },
    because: "the server is of a newer release; update this worker",
    shown: "too-old",
  },
  {
    name: "newer-protocol",
    link: { toServer: stating("v", 9) },
    because: "the server is of an older release; update the server",
    shown: "too-new",
  },
  {
    name: "newer-evidence",
    link: { toServer: stating("evidenceVersion", 9) },
    because: "the server is of an older release; update the server",
    shown: "too-new",
  },
  {
    name: "newer-head",
    link: { toClient: stating("v", 9) },
    because: "the answer of the head is not understood; it may be of another release",
    shown: null,
  },
] as const;

describe.skipIf(natsIsMissing())(`releases of head and workers${skippedNote}`, () => {
  const links: Interposer[] = [];
  let fleet: TestFleet;
  let site: TestServer;

  beforeAll(async () => {
    site = await startHttp({ "/": { body: "<!doctype html><title>site</title><p>site" }, "*": { status: 404, body: "not found" } });
    fleet = await startFleet();
    for (const name of [...refusals.map(({ name }) => name), "evidence-before"]) await fleet.enrol(name, name);
  }, testMsMax);

  afterAll(async () => {
    await stopFleets();
    for (const link of links) link.close();
    await site?.stop();
  });

  async function startBehind(name: string, link: InterposerOptions, ready?: RegExp): Promise<TestWorker> {
    const interposer = await startInterposer(fleet.nats.port, link);
    links.push(interposer);
    return fleet.startWorker(name, { natsPort: interposer.port, ...(ready === undefined ? {} : { ready }) });
  }

  const scan = (location: string) => fleet.scan(`http://127.0.0.1:${site.port}/`, location);
  const endsOf = (token: string) => fleet.headLines("scan ended", token).length;

  test.each(refusals)(
    "differ too much ($name): one line says so, and the scan waits for the other release",
    async ({ name, link, because, shown }) => {
      const worker = await startBehind(name, link, takesNoJobs);
      const token = await scan(name);
      const lines = worker
        .log()
        .split("\n")
        .filter((line) => takesNoJobs.test(line));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(because);
      if (shown !== null) expect((await fleet.shownWorker(name)).toLowerCase()).toContain(states[shown]);
      const { body } = await fleet.api.get<{ readonly status: string }>(`/api/v1/scans/${token}/security`);
      expect(body.status).toMatch(/^(queued|running)$/);
      expect(worker.log()).not.toContain("scan started");
      await worker.end();
      await fleet.startWorker(name);
      expect((await fleet.api.ended(token, endMsMax)).status).toBe("finished");
      await until(() => endsOf(token) > 0, endMsMax);
      expect(endsOf(token)).toBe(1);
    },
    testMsMax,
  );

  test(
    "may differ by one version of the evidence",
    async () => {
      await startBehind("evidence-before", { toServer: stating("evidenceVersion", evidenceVersion - 1) });
      const token = await scan("evidence-before");
      const { status, security } = await fleet.api.ended(token, endMsMax);
      expect([status, security?.measured]).toEqual(["finished", true]);
    },
    testMsMax,
  );
});
