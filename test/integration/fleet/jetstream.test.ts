/** What the fleet relies on of JetStream, on a real nats-server: the model in `test/support/fake-jetstream.ts` follows it. */
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, test } from "vitest";
import { jetStreamCases } from "../../support/jetstream-cases.ts";
import { type NatsServer, natsIsMissing, startNats } from "../../support/nats.ts";

describe.skipIf(natsIsMissing())("nats-server", () => {
  let nats: NatsServer;
  const connections: NatsConnection[] = [];

  beforeEach(async () => {
    nats = await startNats();
  });
  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
    await nats[Symbol.asyncDispose]();
  });

  test.each(jetStreamCases)("%s", async (_name, run) => {
    const open = async () => {
      const connection = await connect({ servers: nats.url });
      connections.push(connection);
      return connection;
    };
    await run({ connect: open, until: (promise) => promise });
  });
});
