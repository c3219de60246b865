/** The model of JetStream behaves as nats-server does: `test/integration/fleet/jetstream.test.ts` runs the same cases there. */
import { describe, test } from "vitest";
import { createFakeNats } from "../../support/fake-nats.ts";
import { startFakeTime } from "../../support/fake-time.ts";
import { jetStreamCases } from "../../support/jetstream-cases.ts";

describe("the model of JetStream", () => {
  test.each(jetStreamCases)("%s", async (_name, run) => {
    using time = startFakeTime();
    const nats = createFakeNats();
    await run({ connect: async () => nats.connect(), until: time.until });
  });
});
