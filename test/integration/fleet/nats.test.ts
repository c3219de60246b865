/** The server behind a fleet: streams of the kind that the fleet needs, on a real nats-server. */
import { DiscardPolicy, jetstream, jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { describe, expect, test } from "vitest";
import { removeMessages } from "../../../src/fleet/streams.ts";
import { manifestPart, resultConsumer, resultStreamOf, resultSubjects, scanStreamOf, scanSubjects } from "../../../src/fleet/subjects.ts";
import { natsIsMissing, startNats } from "../../support/nats.ts";

describe.skipIf(natsIsMissing())("nats-server", () => {
  test("keeps the messages of a stream over a kill, and refuses a second job for a scan", async () => {
    await using nats = await startNats();
    const add = async () => {
      const connection = await connect({ servers: nats.url });
      const manager = await jetstreamManager(connection);
      const perSubject = { max_msgs_per_subject: 1, discard: DiscardPolicy.New, discard_new_per_subject: true };
      const queue = { retention: RetentionPolicy.Workqueue };
      await manager.streams.add({
        name: scanStreamOf("berlin"),
        subjects: [scanSubjects.matching({ location: "berlin" })],
        ...queue,
        ...perSubject,
      });
      await manager.streams.add({ name: resultStreamOf("berlin"), subjects: [resultSubjects.matching({ location: "berlin" })], ...queue });
      await manager.consumers.add(resultStreamOf("berlin"), { durable_name: resultConsumer, ack_policy: "explicit" });
      return { connection, manager };
    };
    const before = await add();
    const publish = () => jetstream(before.connection).publish(scanSubjects.of({ location: "berlin", token: manifestPart }), "x");
    await publish();
    await expect(publish()).rejects.toThrow("maximum messages per subject exceeded");
    await before.connection.close();
    await nats.stop("SIGKILL");
    await nats.restart();
    const after = await add();
    expect((await after.manager.streams.info(scanStreamOf("berlin"))).state.messages).toBe(1);
    await after.connection.close();
    await nats.restart({ emptyStore: true });
    const anew = await add();
    expect((await anew.manager.streams.info(scanStreamOf("berlin"))).state.messages).toBe(0);
    await anew.connection.close();
  });

  test("lets two requests at the same time remove one message", async () => {
    await using nats = await startNats();
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({
      name: scanStreamOf("berlin"),
      subjects: [scanSubjects.matching({ location: "berlin" })],
      allow_direct: true,
    });
    for (let count = 0; count < 12; count++) await jetstream(connection).publish(scanSubjects.of({ location: "berlin", token: "t1" }), "x");
    const remove = () => removeMessages(manager, scanStreamOf("berlin"), scanSubjects.of({ location: "berlin", token: "t1" }));
    await Promise.all([remove(), remove(), remove()]);
    expect((await manager.streams.info(scanStreamOf("berlin"))).state.messages).toBe(0);
    await connection.close();
  });
});
