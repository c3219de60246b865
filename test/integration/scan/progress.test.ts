/** Listeners of a scan get all its events and none after its end, within bounds. */
import { beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import type { ScanEvent } from "../../../src/evidence/scan.ts";
import { localLocation } from "../../../src/parse/location.ts";
import { createProgress, type ProgressHub } from "../../../src/scan/progress.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

const resolving: ScanEvent & { readonly type: "stage" } = { type: "stage", stage: "resolving", percent: 2 };

let lines: string[];
let progress: ProgressHub;
let received: string[];
let clock: FakeClock;

beforeEach(() => {
  lines = [];
  received = [];
  clock = fakeClock();
  progress = createProgress({
    concurrency: 2,
    capacityOf: (location) => (location === "berlin" ? 10 : 0),
    listenersMax: 3,
    clock,
    log: createLog({ level: "error", format: "text", write: (line) => lines.push(line) }),
  });
});

const listen = (token: string, as = token) =>
  progress.subscribe(token, (event) => received.push(`${as} ${event.type === "stage" ? event.stage : event.type}`));

describe("the pace of a stage", () => {
  const pass = (token: string, end: "finished" | "failed") => {
    progress.publish(token, { type: "claimed" });
    progress.publish(token, resolving);
    clock.advance(10);
    progress.publish(token, { type: end });
  };

  test("is known once three scans have passed the stage, and only while it runs", () => {
    expect(progress.pace("a")).toBeNull();
    pass("one", "finished");
    pass("two", "finished");
    pass("three", "failed");
    progress.publish("a", { type: "claimed" });
    expect(progress.pace("a")).toBeNull();
    progress.publish("a", resolving);
    expect(progress.pace("a")).toEqual({ sinceMs: 0, usualMs: null });
    pass("four", "finished");
    clock.advance(40);
    expect(progress.pace("a")).toEqual({ sinceMs: 50, usualMs: 10 });
    progress.publish("a", { type: "finished" });
    expect(progress.pace("a")).toBeNull();
  });
});

describe("progress", () => {
  test("reaches the scan's listeners; listeners of waiting scans get `moved`", () => {
    listen("a");
    listen("b");
    progress.publish("a", { type: "claimed" });
    progress.publish("a", resolving);
    progress.publish("c", { type: "claimed" });
    progress.publish("a", { type: "finished" });
    expect(received).toEqual(["a claimed", "b moved", "a resolving", "b moved", "a finished"]);
  });

  test("a late listener gets the latest event at once, but none of an ended scan", () => {
    progress.publish("a", { type: "claimed" });
    listen("a", "early");
    progress.publish("a", resolving);
    listen("a", "late");
    progress.publish("a", { type: "failed" });
    const after = listen("a", "after");
    progress.publish("b", { type: "claimed" });
    after?.();
    expect(received).toEqual(["early claimed", "early resolving", "late resolving", "early failed", "late failed", "after moved"]);
  });

  test("unsubscribing works once or repeatedly and frees a place", () => {
    const ends = ["a", "a", "b"].map((token) => listen(token));
    expect(listen("c")).toBeNull();
    ends[0]?.();
    ends[0]?.();
    expect(progress.listening()).toBe(2);
    progress.publish("a", resolving);
    expect(received).toEqual(["a resolving"]);
    expect(listen("c")).not.toBeNull();
    for (const end of ends) end?.();
    expect(progress.listening()).toBe(1);
    progress.publish("c", { type: "finished" });
    expect(progress.listening()).toBe(0);
  });

  test("a listener may unsubscribe during an event", () => {
    const end = progress.subscribe("a", () => end?.());
    listen("a", "other");
    progress.publish("a", { type: "finished" });
    expect(received).toEqual(["other finished"]);
    expect(progress.listening()).toBe(0);
    end?.();
    expect(progress.listening()).toBe(0);
  });

  test("continues when a listener throws", () => {
    progress.subscribe("a", () => {
      throw new Error("closed");
    });
    listen("a");
    progress.publish("a", resolving);
    expect(received).toEqual(["a resolving"]);
    expect(lines.join()).toContain("progress listener failed");
  });
});

describe("the estimated wait", () => {
  test("is null before the first end, then follows the mean duration", () => {
    expect(progress.waitMs(1, localLocation)).toBeNull();
    progress.publish("a", { type: "claimed" });
    clock.advance(40);
    progress.publish("a", { type: "finished" });
    // Two at a time.
    expect([progress.waitMs(1, localLocation), progress.waitMs(10, localLocation)]).toEqual([20, 200]);
  });

  test("belongs to a location: its scans, and its capacity", () => {
    const scan = (token: string, location: string) => {
      progress.publish(token, { type: "claimed", location });
      progress.publish(token, resolving);
    };
    for (const at of [1, 2, 3]) scan(`b${at}`, "berlin");
    scan("p", "paris");
    clock.advance(40);
    for (const at of [1, 2, 3]) progress.publish(`b${at}`, { type: "finished" });
    progress.publish("p", { type: "finished" });
    expect(progress.waitMs(1, localLocation)).toBeNull();
    // Without workers, it has no capacity.
    expect(progress.waitMs(1, "paris")).toBeNull();
    expect(progress.waitMs(100, "berlin")).toBe(400);
    scan("next", "berlin");
    scan("here", localLocation);
    expect(progress.pace("next")?.usualMs).toBe(40);
    expect(progress.pace("here")).toMatchObject({ usualMs: null });
  });

  test("uses only the latest scans", () => {
    progress.publish("slow", { type: "claimed" });
    clock.advance(40);
    progress.publish("slow", { type: "finished" });
    for (let count = 0; count < 20; count++) {
      progress.publish(`${count}`, { type: "claimed" });
      progress.publish(`${count}`, { type: "failed" });
    }
    expect(progress.waitMs(2, localLocation)).toBe(0);
  });
});
