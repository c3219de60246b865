/** Notes of workers, as the head reads them. */
import { expect, test } from "vitest";
import { evidenceVersion } from "../../../src/evidence/evidence.ts";
import { fleetProtocol, type PresenceNote, parsePresenceNote } from "../../../src/fleet/messages.ts";
import { isKnownEvidenceVersion } from "../../../src/fleet/results.ts";

const note: PresenceNote = {
  ...{ v: fleetProtocol, version: "0.1.0", evidenceVersion: 1, slots: 2, busy: 0, reach: "public", scansDone: 7 },
  lastFault: null,
};
const parsed = (lastFault: string | null) => parsePresenceNote(Buffer.from(JSON.stringify({ ...note, lastFault })));

test.each([null, "", "the browser does not start", "Cs{p}: a result cannot be sent"])("a fault %j is read", (lastFault) => {
  expect(parsed(lastFault)).toEqual({ ...note, lastFault });
});

test.each(["two\nlines", "\u001b[31m", "\u0085", "x".repeat(301)])("a fault %j is refused", (lastFault) => {
  expect(parsed(lastFault)).toBeNull();
});

test("evidence is accepted in the version of the head, and in the one before", () => {
  const versions = [-2, -1, 0, 1].map((step) => evidenceVersion + step);
  expect(versions.map(isKnownEvidenceVersion)).toEqual([false, true, true, false]);
});
