/** Subjects of NATS: what is built can be read back, and nothing else is accepted. */
import { describe, expect, test } from "vitest";
import {
  cancelSubject,
  headSubject,
  inboxPrefixOf,
  isReplyToWorker,
  isStreamOfFleet,
  isWorkerId,
  locationResultSubjects,
  locationScanSubjects,
  parsePresenceSubject,
  parseProgressSubject,
  parseResultSubject,
  presenceSubject,
  presenceSubjects,
  progressSubject,
  progressSubjects,
  resultKeyOf,
  resultStreamOf,
  resultSubject,
  scanStreamOf,
  scanSubject,
} from "../../../src/fleet/subjects.ts";

const worker = `U${"A".repeat(55)}`;
const delivery = { location: "berlin", worker, token: "abcDEF012-_ghiJKL34567", attempt: 2, delivery: 1 };

describe("subjects", () => {
  test.each([0, 41, null])("of part %s are read back", (part) => {
    expect(parseResultSubject(resultSubject({ ...delivery, part }))).toEqual({ ...delivery, part });
  });

  test("of presence and progress are read back", () => {
    expect(parsePresenceSubject(presenceSubject(delivery))).toEqual({ location: "berlin", worker });
    expect(parseProgressSubject(progressSubject(delivery, delivery.token))).toEqual({ location: "berlin", worker, token: delivery.token });
  });

  test.each([
    "assay.result.berlin",
    `assay.result.BERLIN.${worker}.token.1.1.0`,
    `assay.result.berlin.${worker}x.token.1.1.0`,
    `assay.result.berlin.${worker}.to/ken.1.1.0`,
    `assay.result.berlin.${worker}.token.-1.1.0`,
    `assay.result.berlin.${worker}.token.1.1e3.0`,
    `assay.result.berlin.${worker}.token.1.1.0.0`,
    `assay.worker.berlin.${worker}.token.1.1.0`,
    "",
  ])("of another form are refused: %s", (subject) => {
    expect(parseResultSubject(subject)).toBeNull();
    expect(parsePresenceSubject(subject)).toBeNull();
    expect(parseProgressSubject(subject)).toBeNull();
  });

  test("of streams contain those of their messages", () => {
    const isBelow = (wide: string, subject: string) =>
      new RegExp(`^${wide.replaceAll(".", "\\.").replaceAll("*", "[^.]+").replace(">", ".+")}$`).test(subject);
    expect(isBelow(locationScanSubjects("berlin"), scanSubject("berlin", "token"))).toBe(true);
    expect(isBelow(locationResultSubjects("berlin"), resultSubject({ ...delivery, part: null }))).toBe(true);
    expect(isBelow(locationResultSubjects("paris"), resultSubject({ ...delivery, part: null }))).toBe(false);
    expect(isBelow(presenceSubjects, presenceSubject(delivery))).toBe(true);
    expect(isBelow(progressSubjects, progressSubject(delivery, "token"))).toBe(true);
    expect(isBelow(locationScanSubjects("berlin"), cancelSubject("berlin"))).toBe(false);
    expect(isBelow(presenceSubjects, headSubject)).toBe(false);
  });

  test("streams of the fleet are known by their names", () => {
    expect([scanStreamOf("berlin"), resultStreamOf("berlin")].map(isStreamOfFleet)).toEqual([true, true]);
    expect(["ORDERS", "ASSAY_RESULTS", "ASSAY_RESULTS_", "ASSAY_SCANS_NOT.ONE"].filter(isStreamOfFleet)).toEqual([]);
  });

  test("ids differ by worker, attempt, delivery and part", () => {
    const ids = [{}, { worker: `U${"B".repeat(55)}` }, { attempt: 3 }, { delivery: 2 }, { part: 1 }].map((change) =>
      resultKeyOf({ ...delivery, part: 0, ...change }),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("inboxes of two workers do not overlap", () => {
    expect(isWorkerId(worker)).toBe(true);
    expect(inboxPrefixOf(worker)).not.toContain(".");
  });
});

test("a worker is answered in its own inbox, or where nats-server leads to another account", () => {
  expect(isReplyToWorker(`${inboxPrefixOf(worker)}.abc`, worker)).toBe(true);
  expect(isReplyToWorker("_R_.abc.def", worker)).toBe(true);
  const wrong = [
    "",
    inboxPrefixOf(worker),
    `${inboxPrefixOf(`U${"B".repeat(55)}`)}.abc`,
    "_INBOX.abc",
    "$JS.API.STREAM.DELETE.ASSAY_SCANS",
  ];
  expect(wrong.filter((reply) => isReplyToWorker(reply, worker))).toEqual([]);
});
