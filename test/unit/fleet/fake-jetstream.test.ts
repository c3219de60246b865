/** The model of JetStream behaves as nats-server does: `test/integration/fleet/jetstream.test.ts` runs the same cases there. */
import { describe, test } from "vitest";
import { startClientTime } from "../../support/fake-fleet.ts";
import { createFakeNats } from "../../support/fake-nats.ts";
import { jetStreamCases } from "../../support/jetstream-cases.ts";

describe("the model of JetStream", () => {
  test.each(jetStreamCases)("%s", async (_name, run) => {
    using time = startClientTime();
    const nats = createFakeNats();
    await run({ connect: async () => nats.connect(), until: time.clock.until });
  });
});
