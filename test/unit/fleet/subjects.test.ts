/** Subjects of NATS: what is built can be read back, and nothing else is accepted. */
import { describe, expect, test } from "vitest";
import {
  cancelSubjects,
  headSubject,
  inboxPrefixOf,
  isReplyToWorker,
  isStreamOfFleet,
  isWorkerId,
  presenceSubjects,
  progressSubjects,
  resultStreamOf,
  resultSubjects,
  scanStreamOf,
  scanSubjects,
} from "../../../src/fleet/subjects.ts";

const worker = `U${"A".repeat(55)}`;
const delivery = { location: "berlin", worker, token: "abcDEF012-_ghiJKL34567", attempt: 2, delivery: 1 };

describe("subjects", () => {
  test.each([0, 41, null])("of part %s are read back", (part) => {
    expect(resultSubjects.parse(resultSubjects.of({ ...delivery, part }))).toEqual({ ...delivery, part });
  });

  test("of presence and progress are read back", () => {
    expect(presenceSubjects.parse(presenceSubjects.of(delivery))).toEqual({ location: "berlin", worker });
    expect(progressSubjects.parse(progressSubjects.of(delivery))).toEqual({ location: "berlin", worker, token: delivery.token });
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
    expect(resultSubjects.parse(subject)).toBeNull();
    expect(presenceSubjects.parse(subject)).toBeNull();
    expect(progressSubjects.parse(subject)).toBeNull();
  });

  test("of streams contain those of their messages", () => {
    const isBelow = (wide: string, subject: string) =>
      new RegExp(`^${wide.replaceAll(".", "\\.").replaceAll("*", "[^.]+").replace(">", ".+")}$`).test(subject);
    expect(isBelow(scanSubjects.matching({ location: "berlin" }), scanSubjects.of({ location: "berlin", token: "token" }))).toBe(true);
    expect(isBelow(resultSubjects.matching({ location: "berlin" }), resultSubjects.of({ ...delivery, part: null }))).toBe(true);
    expect(isBelow(resultSubjects.matching({ location: "paris" }), resultSubjects.of({ ...delivery, part: null }))).toBe(false);
    expect(isBelow(presenceSubjects.matching({}), presenceSubjects.of(delivery))).toBe(true);
    expect(isBelow(progressSubjects.matching({}), progressSubjects.of({ ...delivery, token: "token" }))).toBe(true);
    expect(isBelow(scanSubjects.matching({ location: "berlin" }), cancelSubjects.of({ location: "berlin" }))).toBe(false);
    expect(isBelow(presenceSubjects.matching({}), headSubject)).toBe(false);
  });

  test("streams of the fleet are known by their names", () => {
    expect([scanStreamOf("berlin"), resultStreamOf("berlin")].map(isStreamOfFleet)).toEqual([true, true]);
    expect(["ORDERS", "ASSAY_RESULTS", "ASSAY_RESULTS_", "ASSAY_SCANS_NOT.ONE"].filter(isStreamOfFleet)).toEqual([]);
  });

  test("ids differ by worker, attempt, delivery and part", () => {
    const ids = [{}, { worker: `U${"B".repeat(55)}` }, { attempt: 3 }, { delivery: 2 }, { part: 1 }].map((change) =>
      resultSubjects.of({ ...delivery, part: 0, ...change }),
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
