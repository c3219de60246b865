/** Presence of workers by their last note: the moment at which it lapses, and the capacity that it gives. */
import { expect, test } from "vitest";
import { createPresenceRegistry } from "../../../src/fleet/head/presence.ts";

const lapsesMs = 60_000;
const begin = Date.parse("2026-11-22T10:00:00Z");
const at = (ms: number) => new Date(begin + ms);
const berlin = { worker: `U${"A".repeat(55)}`, location: "berlin" };

test("a worker is present until its note lapses, and was seen then", () => {
  const registry = createPresenceRegistry(lapsesMs);
  expect(registry.note(berlin, { slots: 2, busy: 0 }, "accepted", at(0))).toBe(true);
  expect([registry.present(at(lapsesMs - 1)).length, registry.capacity("berlin", at(lapsesMs - 1))]).toEqual([1, 3]);
  expect([registry.present(at(lapsesMs)).length, registry.capacity("berlin", at(lapsesMs))]).toEqual([0, 0]);
  expect(registry.lastSeenAt("berlin")).toEqual(at(0));
});

test("capacity rises with more slots, and with a worker that comes back", () => {
  const registry = createPresenceRegistry(lapsesMs);
  const note = (slots: number, ms: number) => registry.note(berlin, { slots, busy: 0 }, "accepted", at(ms));
  expect([note(2, 0), note(2, 1), note(3, 2), note(1, 3), note(1, 3 + lapsesMs)]).toEqual([true, false, true, false, true]);
  expect([registry.capacity("berlin", at(3 + lapsesMs)), registry.capacity("paris", at(3 + lapsesMs))]).toEqual([2, 0]);
});

test("provers are accepted workers, and unable those whose last note does not announce visits", () => {
  const registry = createPresenceRegistry(lapsesMs);
  const other = { ...berlin, worker: `U${"B".repeat(55)}` };
  const third = { ...berlin, worker: `U${"C".repeat(55)}` };
  registry.note(berlin, { slots: 2, busy: 0, visits: true }, "accepted", at(0));
  registry.note(third, { slots: 2, busy: 0 }, "drained", at(1));
  expect(registry.provers("berlin", at(1))).toEqual({ present: 1, unable: [] });
  registry.note(other, { slots: 0, busy: 0 }, "accepted", at(2));
  expect(registry.provers("berlin", at(2))).toEqual({ present: 2, unable: [other.worker] });
  expect(registry.provers("paris", at(2))).toEqual({ present: 0, unable: [] });
  expect(registry.provers("berlin", at(lapsesMs))).toEqual({ present: 1, unable: [other.worker] });
  expect(registry.provers("berlin", at(lapsesMs + 2))).toEqual({ present: 0, unable: [] });
  expect([registry.isKnown(third.worker), registry.isKnown("U")]).toEqual([true, false]);
});
