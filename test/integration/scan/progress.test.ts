/** Who listens to a scan hears all of it and nothing after, within bounds. */
import { beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import type { ScanEvent } from "../../../src/evidence/scan.ts";
import { createProgress, type ProgressHub } from "../../../src/scan/progress.ts";

const resolving: ScanEvent & { readonly type: "stage" } = { type: "stage", stage: "resolving", percent: 2 };

let lines: string[];
let progress: ProgressHub;
let heard: string[];

beforeEach(() => {
  lines = [];
  heard = [];
  progress = createProgress({
    concurrency: 2,
    listenersMax: 3,
    log: createLog({ level: "error", format: "text", write: (line) => lines.push(line) }),
  });
});

const listen = (token: string, as = token) =>
  progress.subscribe(token, (event) => heard.push(`${as} ${event.type === "stage" ? event.stage : event.type}`));

describe("progress", () => {
  test("reaches those who listen to that scan; the others hear that the queue moved", () => {
    listen("a");
    listen("b");
    progress.tell("a", { type: "claimed" });
    progress.tell("a", resolving);
    progress.tell("c", { type: "claimed" });
    progress.tell("a", { type: "finished" });
    expect(heard).toEqual(["a claimed", "b moved", "a resolving", "b moved", "a finished"]);
  });

  test("is told at once to who comes later, and not of scans that are over", () => {
    progress.tell("a", { type: "claimed" });
    listen("a", "early");
    progress.tell("a", resolving);
    listen("a", "late");
    progress.tell("a", { type: "failed" });
    const after = listen("a", "after");
    progress.tell("b", { type: "claimed" });
    after?.();
    expect(heard).toEqual(["early claimed", "early resolving", "late resolving", "early failed", "late failed", "after moved"]);
  });

  test("ends when it is called off, however often, and leaves room for others", () => {
    const ends = ["a", "a", "b"].map((token) => listen(token));
    expect(listen("c")).toBeNull();
    ends[0]?.();
    ends[0]?.();
    expect(progress.listening()).toBe(2);
    progress.tell("a", resolving);
    expect(heard).toEqual(["a resolving"]);
    expect(listen("c")).not.toBeNull();
    for (const end of ends) end?.();
    expect(progress.listening()).toBe(1);
    progress.tell("c", { type: "finished" });
    expect(progress.listening()).toBe(0);
  });

  test("may be called off while it is told", () => {
    const end = progress.subscribe("a", () => end?.());
    listen("a", "other");
    progress.tell("a", { type: "finished" });
    expect(heard).toEqual(["other finished"]);
    expect(progress.listening()).toBe(0);
    end?.();
    expect(progress.listening()).toBe(0);
  });

  test("goes on when a listener breaks", () => {
    progress.subscribe("a", () => {
      throw new Error("closed");
    });
    listen("a");
    progress.tell("a", resolving);
    expect(heard).toEqual(["a resolving"]);
    expect(lines.join()).toContain("progress was not heard");
  });
});

describe("the wait", () => {
  test("is not known before a scan has ended, and then goes by their length", async () => {
    expect(progress.waitMs(1)).toBeNull();
    progress.tell("a", { type: "claimed" });
    await Bun.sleep(40);
    progress.tell("a", { type: "finished" });
    const waitMs = progress.waitMs(1) ?? 0;
    expect(waitMs).toBeGreaterThanOrEqual(19);
    expect(waitMs).toBeLessThan(500);
    expect(Math.abs((progress.waitMs(10) ?? 0) - 10 * waitMs)).toBeLessThanOrEqual(5);
  });

  test("goes by the latest scans alone", async () => {
    progress.tell("slow", { type: "claimed" });
    await Bun.sleep(40);
    progress.tell("slow", { type: "finished" });
    for (let count = 0; count < 20; count++) {
      progress.tell(`${count}`, { type: "claimed" });
      progress.tell(`${count}`, { type: "failed" });
    }
    expect(progress.waitMs(2) ?? 99).toBeLessThan(10);
  });
});
