/** When the head of a fleet refuses to start, or stays off later. */
import { jetstreamManager } from "@nats-io/jetstream";
import { describe, expect, test } from "vitest";
import { FleetError } from "../../../src/fleet/connection.ts";
import { makeIdentity } from "../../../src/fleet/identity.ts";
import { scanStreamOf } from "../../../src/fleet/subjects.ts";
import { loopbackConfiguration } from "../../support/fleet-places.ts";
import { rigLocation, startRig } from "../../support/fleet-rig.ts";
import { type NatsPlace, natsIsMissing } from "../../support/nats.ts";
import { eventually } from "../../support/raw-head.ts";

describe.skipIf(natsIsMissing())("the start of a head", () => {
  test("is refused beside another head, and leaves the streams of another installation alone", async () => {
    await using rig = await startRig();
    const first = await rig.open();
    const taken = "another process of assay takes the scans of these workers; stop it first";
    await expect(rig.open()).rejects.toThrow(new FleetError(taken));
    expect(first.state()).toBe("connected");
    await first.close();
    const foreign = { ...rig.store, instance: () => "another" };
    const other = await rig.open({ store: foreign });
    expect(other.fault()).toContain("the stream ASSAY_SCANS_berlin in NATS belongs to another installation; use an account");
    await other.close();
    const again = await rig.open();
    expect(again.fault()).toBeNull();
  });

  test("is refused for a nats-server without JetStream", async () => {
    await using rig = await startRig();
    const configured = loopbackConfiguration(rig.headIdentity, Object.values(rig.identities));
    const configuration = (place: NatsPlace) =>
      configured(place)
        .replace(/jetstream \{[^}]*\}/, "")
        .replaceAll("jetstream: enabled", "");
    await rig.nats.restart({ configuration });
    await expect(rig.open()).rejects.toThrow(
      new FleetError("nats-server runs without JetStream; add 'jetstream { }' to its configuration"),
    );
  });

  test("is too late for a server that another head has meanwhile: the fleet stays off", async () => {
    await using rig = await startRig({ times: { startWaitMs: 20 } });
    await rig.nats.stop();
    const [first, second] = [await rig.open(), await rig.open()];
    await rig.nats.restart();
    await eventually(() => [first, second].some((fleet) => fleet.state() === "refused"), "a refusal");
    await eventually(() => [first, second].some((fleet) => fleet.state() === "connected"), "one head in charge");
    const refused = [first, second].find((fleet) => fleet.state() === "refused");
    expect(refused?.fault()).toBe("another process of assay takes the scans of these workers; stop it first");
    expect(refused?.capacity(rigLocation)).toBe(0);
    expect(rig.logged.filter((line) => line.startsWith("the fleet stays off")).length).toBeGreaterThan(0);
  });

  test("changes streams that an earlier release has made, and keeps what they hold", async () => {
    await using rig = await startRig();
    const before = await rig.open({ limits: { scanBytesMax: 2_000_000 } });
    await before.close();
    const fleet = await rig.open();
    const head = await rig.connectHead();
    const { config } = await (await jetstreamManager(head)).streams.info(scanStreamOf(rigLocation));
    expect(config).toMatchObject({ max_bytes: 8 * 1024 ** 2, max_msgs_per_subject: 1, discard: "new" });
    await head.close();
    expect(fleet.fault()).toBeNull();
  });

  test("follows locations that are enrolled later", async () => {
    await using rig = await startRig();
    const fleet = await rig.open();
    const { id } = makeIdentity();
    await rig.store.workers.enrol({ id, name: "late", location: "tokyo", now: new Date() });
    expect(fleet.names()).toEqual([rigLocation, "tokyo"]);
    const head = await rig.connectHead();
    const manager = await jetstreamManager(head);
    await eventually(() => manager.consumers.info(scanStreamOf("tokyo"), "tokyo").catch(() => null), "a consumer");
    await head.close();
  });

  test("goes on without a location whose stream is foreign", async () => {
    await using rig = await startRig();
    await rig.store.workers.enrol({ id: makeIdentity().id, name: "tokyo-1", location: "tokyo", now: new Date() });
    const head = await rig.connectHead();
    await (await jetstreamManager(head)).streams.add({ name: scanStreamOf("tokyo"), subjects: ["assay.scan.tokyo.*"] });
    await head.close();
    const fleet = await rig.open();
    expect(fleet.state()).toBe("connected");
    expect(fleet.fault()).toMatch(/^the location tokyo has no streams in NATS: the stream ASSAY_SCANS_tokyo in NATS belongs/);
    const worker = await rig.startWorker();
    const token = await rig.claimScan();
    const gathering = rig.gather(fleet, token);
    (await worker.started(1)).end();
    await rig.storeEnd(token, await gathering);
  });
});
