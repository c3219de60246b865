/** SSRF guard of a worker: the worker's own settings decide what its scans reach, and the settings of the head do not. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skippedNote } from "../../support/binary.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startFleet, stopFleets, type TestFleet } from "./fleet.ts";

const endMsMax = 180_000;
const testMsMax = 300_000;

/** An address of each range that the guard blocks, and spellings of loopback addresses. */
const blockedHosts = [
  ...["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"],
  ...["10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "192.0.0.1", "198.18.0.1", "224.0.0.1"],
  ...["[fc00::1]", "[fe80::1]", "[ff02::1]", "[::]", "localhost"],
];

describe.skipIf(natsIsMissing())(`the guard of a worker${skippedNote}`, () => {
  let fleet: TestFleet;
  let site: TestServer;

  beforeAll(async () => {
    site = await startHttp({ "*": { body: "<!doctype html><title>inside</title><p>inside" } });
    // The head itself may scan everything.
    fleet = await startFleet({ headArgs: ["--profile", "internal"] });
    for (const [name, location] of [
      ["outside", "internet"],
      ["inside", "intranet"],
    ] as const)
      await fleet.enrol(name, location);
    await fleet.startWorker("outside", { args: ["--profile", "internet", "--allow-port", "any", "--allow-cidr", "127.0.0.7/32"] });
    await fleet.startWorker("inside");
  }, testMsMax);

  afterAll(async () => {
    await stopFleets();
    await site?.stop();
  });

  async function codeOf(url: string, location: string): Promise<string | null | undefined> {
    const token = await fleet.scan(url, location);
    await fleet.api.ended(token, endMsMax);
    return fleet.withStore(({ scans }) => scans.findByToken(token)?.errorCode);
  }

  test(
    "blocks private addresses that the head would allow",
    async () => {
      const codes = await Promise.all(blockedHosts.map((host) => codeOf(`http://${host}:${site.port}/`, "internet")));
      expect(Object.fromEntries(blockedHosts.map((host, at) => [host, codes[at]]))).toEqual(
        Object.fromEntries(blockedHosts.map((host) => [host, "blocked"])),
      );
      expect(site.requests).toEqual([]);
    },
    testMsMax,
  );

  test(
    "opens what its own settings allow",
    async () => {
      expect(await codeOf(`http://127.0.0.1:${site.port}/`, "intranet")).toBeNull();
    },
    testMsMax,
  );

  test(
    "keeps its nats-server out of reach, whatever its settings allow",
    async () => {
      expect(await codeOf(`http://127.0.0.1:${fleet.nats.port}/`, "intranet")).toBe("blocked");
    },
    testMsMax,
  );
});
