/** `assay fleet release` at a real nats-server: only streams of another installation go, and only on request. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { claimHead } from "../../../src/fleet/head/nats-transport.ts";
import { headIdentity } from "../../../src/fleet/identity.ts";
import { defaultStreamLimits, ensureLocation } from "../../../src/fleet/streams.ts";
import { scanSubjects } from "../../../src/fleet/subjects.ts";
import { openStore } from "../../../src/store/store.ts";
import { connectAs, loopbackConfiguration, messagesIn } from "../../support/fleet-places.ts";
import { natsIsMissing, startNats } from "../../support/nats.ts";
import { runInProcess } from "../../support/program.ts";

describe.skipIf(natsIsMissing())("release", () => {
  let data: string;
  let own: string;

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "assay-release-"));
    const store = openStore(data);
    own = store.instance();
    await store.close();
  });
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  const release = (url: string, ...args: readonly string[]) => runInProcess(["fleet", "release", "--nats", url, "--data", data, ...args]);

  test("deletes what another installation left, after --yes, and never below a running head", async () => {
    const head = headIdentity(data);
    await using nats = await startNats({ configuration: loopbackConfiguration(head, []) });
    const connection = await connectAs(head, nats.url);
    const manager = await jetstreamManager(connection);
    const purposeOf = (instance: string) => ({ instance, isCluster: false, limits: defaultStreamLimits });
    await ensureLocation(manager, "paris", purposeOf(own));
    expect(await release(nats.url, "--yes")).toMatchObject({ code: 0, stdout: "", stderr: "no stream belongs to another installation\n" });

    await ensureLocation(manager, "berlin", purposeOf("another"));
    await manager.streams.add({ name: "ORDERS", subjects: ["orders"] });
    await jetstream(connection).publish(scanSubjects.of({ location: "berlin", token: "t1" }), "job");
    const shown = await release(nats.url);
    expect(shown.stdout).toMatch(/^STREAM +MESSAGES +BYTES\nASSAY_RESULTS_berlin +0 +0\nASSAY_SCANS_berlin +1 +\d+\n$/);
    expect(shown.stderr).toContain("nothing is deleted yet; --yes deletes");
    expect(await messagesIn(connection, ["berlin", "paris"])).toEqual([1, 0, 0, 0]);

    await claimHead(connection, "another", systemClock)(50);
    const refused = await release(nats.url, "--yes");
    expect([refused.code, refused.stderr]).toEqual([2, "assay: a running head uses the streams: stop it first; nothing is deleted\n"]);
    expect(await messagesIn(connection, ["berlin", "paris"])).toEqual([1, 0, 0, 0]);
    await connection.close();

    expect(await release(nats.url, "--yes")).toMatchObject({ code: 0, stderr: "deleted\n" });
    const later = await connectAs(head, nats.url);
    expect(await messagesIn(later, ["berlin", "paris"])).toEqual([null, 0, null, 0]);
    expect((await (await jetstreamManager(later)).streams.info("ORDERS")).config.name).toBe("ORDERS");
    await later.close();
  });

  test("says why nats-server cannot be used", async () => {
    const { code, stderr } = await runInProcess(["fleet", "release", "--data", data]);
    expect([code, stderr]).toEqual([2, "assay: nats.url is not set: it names the nats-server of the streams\n"]);
    expect(await release("nats://127.0.0.1:4222", "--nats-ca", "/nowhere.pem")).toMatchObject({
      code: 2,
      stderr: "assay: nats.ca_file: /nowhere.pem cannot be read (ENOENT)\n",
    });
  });
});
