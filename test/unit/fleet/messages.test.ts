/** Limits of the fleet that depend on each other. */
import { expect, test } from "vitest";
import {
  fleetProtocol,
  jobAckWaitMs,
  jobDeliveriesMax,
  jobWorkingEveryMs,
  partBytesMax,
  presenceAnswers,
  presenceEveryMs,
  presenceLapsesMs,
} from "../../../src/fleet/messages.ts";

/** Default of nats-server for `max_payload`, in bytes. Headers count too. */
const payloadBytesMax = 1024 ** 2;
const headerBytes = 4_096;

test("two lost messages cost a worker neither its presence nor its job", () => {
  expect(presenceLapsesMs).toBeGreaterThan(2 * presenceEveryMs);
  expect(jobAckWaitMs).toBeGreaterThan(2 * jobWorkingEveryMs);
});

test("a part fits into a message of a server with default settings", () => {
  expect(partBytesMax + headerBytes).toBeLessThan(payloadBytesMax);
});

test("a job is delivered once more, and one answer alone lets a worker take jobs", () => {
  expect(jobDeliveriesMax).toBe(2);
  expect(fleetProtocol).toBe(1);
  expect(presenceAnswers.filter((answer) => answer === "accepted")).toHaveLength(1);
});
