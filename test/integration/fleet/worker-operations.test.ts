/** Use case of enrolled workers over a real store: outcome, log line, audit entry and refusals. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeWorkerState } from "../../../src/fleet/worker-operations.ts";
import type { Actor } from "../../../src/store/audit.ts";
import { rigStart, type UseCaseRig, useCaseRig } from "../../support/use-case-rig.ts";

const by: Actor = { kind: "cli", user: "root" };
const id = "UABC";
let rig: UseCaseRig;

beforeAll(async () => {
  rig = useCaseRig();
  await rig.store.workers.enrol({ id, name: "berlin-1", location: "berlin", now: rigStart });
  rig.audited();
});
afterAll(() => rig.stop());

test("a worker is drained, resumed and revoked, and stays revoked", async () => {
  expect(await changeWorkerState(rig.context, by, { id, state: "drained" })).toMatchObject({ done: { drained: true, revokedAt: null } });
  expect(await changeWorkerState(rig.context, by, { id, state: "resumed" })).toMatchObject({ done: { drained: false, revokedAt: null } });
  expect(await changeWorkerState(rig.context, by, { id, state: "revoked" })).toMatchObject({ done: { revokedAt: rigStart.toISOString() } });
  const states = ["drained", "resumed", "revoked"] as const;
  expect(rig.logged()).toEqual(states.map((state) => ["worker changed", { worker: id, name: "berlin-1", state, by: "cli root" }]));
  expect(rig.audited()).toMatchObject(
    states.map((state) => ({ actor: by, action: `worker.${state}`, subject: { kind: "worker", id: "berlin-1" } })),
  );
  for (const state of states) expect(await changeWorkerState(rig.context, by, { id, state })).toEqual({ refused: "revoked" });
  expect(await changeWorkerState(rig.context, by, { id: "UXYZ", state: "drained" })).toEqual({ refused: "unknown" });
  expect([rig.logged(), rig.audited()]).toEqual([[], []]);
});
