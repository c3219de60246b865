/** Head and workers at a cluster of three nats-servers, one of which is killed in mid-run. */
import { describe, expect, test } from "vitest";
import { resultStreamOf, scanStreamOf } from "../../../src/fleet/subjects.ts";
import { ledStreams, messagesIn } from "../../support/fleet-places.ts";
import { rigLocation, startRig } from "../../support/fleet-rig.ts";
import { type NatsServer, natsIsMissing } from "../../support/nats.ts";
import { eventually } from "../../support/raw-head.ts";

const scanCount = 40;
const testMsMax = 240_000;
/** Election of leaders, on a busy machine. */
const electionMsMax = 60_000;

describe.skipIf(natsIsMissing())("a cluster", () => {
  test(
    "keeps three copies, and every scan ends once while its leader is killed and comes back",
    async () => {
      await using rig = await startRig({ times: { startWaitMs: electionMsMax } }, { isCluster: true });
      const fleet = await rig.open();
      const worker = await rig.startWorker();
      await eventually(() => fleet.capacity(rigLocation) > 0, "a worker", electionMsMax);
      const ending = setInterval(() => {
        for (const scan of worker.scans) scan.end();
      }, 20);
      const head = await rig.connectHead();
      const names = [scanStreamOf(rigLocation), resultStreamOf(rigLocation)];
      const infos = await eventually(() => ledStreams(head, names, 2), "streams with leaders", electionMsMax);
      expect(infos.map(({ config }) => config.num_replicas)).toEqual([3, 3]);
      const leader = rig.servers[Number(infos[0]?.cluster?.leader?.slice(1)) - 1] as NatsServer;

      const tokens: string[] = [];
      const ends: Promise<unknown>[] = [];
      for (let count = 0; count < scanCount; count++) {
        if (count === 10) await leader.stop("SIGKILL");
        if (count === 30) await leader.restart();
        const token = await rig.claimScan();
        tokens.push(token);
        const gathering = rig.gather(fleet, token).then(async (end) => {
          await rig.storeEnd(token, end);
          return typeof end.gathered === "string" ? end.gathered : "gathered";
        });
        ends.push(gathering);
        await Promise.race([gathering, Bun.sleep(250)]);
      }
      expect(await Promise.all(ends)).toEqual(tokens.map(() => "gathered"));
      expect(fleet.counters()).toMatchObject({ results: scanCount, faults: 0 });
      const isEmpty = () =>
        messagesIn(head)
          .then((counts) => counts.every((count) => count === 0))
          .catch(() => false);
      await eventually(isEmpty, "empty streams", electionMsMax);
      clearInterval(ending);
      await head.close();
    },
    testMsMax,
  );
});
