/** A scan at a location from start to report: the site is reachable from the worker alone. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skippedNote } from "../../support/binary.ts";
import { natsIsMissing } from "../../support/nats.ts";
import { startHttp, type TestServer } from "../../support/servers.ts";
import { startFleet, stopFleets, type TestFleet } from "./fleet.ts";

const endMsMax = 60_000;
/** Comments that make the page, and so its evidence and result, large. */
const largeBody = `<!doctype html><title>large</title>${Array.from({ length: 400 }, (_, at) => `<script src="/${at}.js?${"x".repeat(1_000)}"></script>`).join("")}`;

describe.skipIf(natsIsMissing())(`a location${skippedNote}`, () => {
  let fleet: TestFleet;
  let site: TestServer;

  beforeAll(async () => {
    site = await startHttp({
      "/": { body: "<!doctype html><title>inside</title><p>inside" },
      "/large": { body: largeBody },
      "*": { body: "" },
    });
    fleet = await startFleet({ workers: { "worker-1": "berlin" } });
  }, 120_000);

  afterAll(async () => {
    await stopFleets();
    await site?.stop();
  });

  const url = (path = "/") => `http://127.0.0.1:${site.port}${path}`;

  test("reaches a site that the head cannot reach", async () => {
    const [here, there] = await Promise.all([fleet.scan(url()), fleet.scan(url(), "berlin")]);
    const [local, remote] = await Promise.all([fleet.api.ended(here, endMsMax), fleet.api.ended(there, endMsMax)]);
    expect(local.status).toBe("failed");
    expect(remote.status).toBe("finished");
    expect(remote.security?.measured).toBe(true);
    const row = await fleet.withStore(({ scans }) => scans.findByToken(there));
    expect(row).toMatchObject({ location: "berlin", attempts: 1 });
    const screenshot = await fleet.withStore((store) => store.screenshots.find(there));
    expect([...(screenshot ?? []).slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  test("returns large evidence whole", async () => {
    const token = await fleet.scan(url("/large"), "berlin");
    expect((await fleet.api.ended(token, endMsMax)).status).toBe("finished");
    const stored = await fleet.withStore(({ evidence }) => evidence.find(token));
    expect(stored?.evidence.requests.status).toBe("read");
    expect(JSON.stringify(stored).length).toBeGreaterThan(50_000);
  });

  test("is refused if it is unknown", async () => {
    await expect(fleet.scan(url(), "paris")).rejects.toThrow(/400.*"location"/);
  });
});
