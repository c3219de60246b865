/** What the doctor says of a real nats-server. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { examineNats } from "../../../src/fleet/nats-maintenance.ts";
import { scanStreamOf, scanSubjects } from "../../../src/fleet/subjects.ts";
import { natsIsMissing, startNats } from "../../support/nats.ts";
import { portWithoutListener } from "../../support/ports.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-examine-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ignore = () => {};
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const examine = (url: string, given: Partial<Parameters<typeof examineNats>[0]> = {}) =>
  examineNats({ servers: [url], credentialsFile: null, caFile: null, clock: systemClock, log, connectMs: 5_000, ...given });

describe.skipIf(natsIsMissing())("the doctor", () => {
  test("names version, JetStream and streams, and creates none", async () => {
    await using nats = await startNats();
    const first = await examine(nats.url);
    expect(first.isUsable).toBe(true);
    expect(first.detail).toMatch(/^nats-server 2\.\d+\.\d+ at 127\.0\.0\.1:\d+; JetStream: on; no location has streams yet$/);
    const connection = await connect({ servers: nats.url });
    const { streams } = await jetstreamManager(connection);
    expect((await streams.list().next()).length).toBe(0);
    await streams.add({
      name: scanStreamOf("berlin"),
      subjects: [scanSubjects.matching({ location: "berlin" })],
      retention: RetentionPolicy.Workqueue,
    });
    await jetstream(connection).publish(scanSubjects.of({ location: "berlin", token: "token" }), "x");
    await connection.close();
    expect((await examine(nats.url)).detail).toContain("ASSAY_SCANS_berlin: 1 waiting");
  });

  test("says that JetStream is off", async () => {
    await using nats = await startNats({ configuration: "accounts { A { users: [{ user: a, password: b }] } }\nno_auth_user: a\n" });
    const { isUsable, detail } = await examine(nats.url);
    expect([isUsable, detail]).toEqual([
      false,
      expect.stringMatching(/^JetStream of 127.* cannot be used \(.+\); nats-server needs jetstream/),
    ]);
  });

  test("says that the credentials are refused", async () => {
    await using nats = await startNats({ configuration: "authorization { user: a, password: b }\n" });
    const { isUsable, detail } = await examine(nats.url, { connectMs: 300 });
    expect([isUsable, detail]).toEqual([
      false,
      `${nats.url} not reachable: nats-server refuses the credentials; assay fleet nats-conf prints a configuration that allows this server`,
    ]);
  });
});

test("a server that is away, and a file without a seed", async () => {
  const url = `nats://127.0.0.1:${portWithoutListener()}`;
  expect(await examine(url, { connectMs: 200 })).toEqual({
    isUsable: false,
    detail: `${url} not reachable: connection refused; nats-server must run there, and nats.url name its address`,
  });
  const file = join(folder, "empty.nk");
  writeFileSync(file, "nothing\n");
  expect((await examine(url, { credentialsFile: file })).detail).toContain("holds neither the seed");
});
