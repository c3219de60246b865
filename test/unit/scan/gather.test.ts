/** Reachability of a scan, and standstills during its probes; `engine.test.ts` tests gathering as a whole. */
import { describe, expect, test } from "vitest";
import { watchStandstill } from "../../../src/base/standstill.ts";
import { startWatch } from "../../../src/scan/gather.ts";
import { unreachableBecause } from "../../../src/scan/task.ts";
import { type EvidenceGiven, evidence } from "../../support/evidence.ts";
import { fakeClock, settled } from "../../support/fake-clock.ts";

describe("a scan", () => {
  test.each<[string, EvidenceGiven, string | null]>([
    ["is judged when the browser got a response", {}, null],
    ["is judged when the response was a server error", { page: "server-error" }, null],
    ["is judged when only our own client completed TLS", { navigation: "tls" }, null],
    ["is judged when browsers refuse the server's TLS", { navigation: "tls-incompatible" }, null],
    [
      "is judged when http leads to a server whose TLS browsers refuse",
      { url: "http://site.example/", navigation: "tls-incompatible" },
      null,
    ],
    ["is unreachable when nobody completed TLS", { navigation: "tls-incompatible", tls: "tls" }, "tls"],
    ["is judged when the browser timed out but TLS worked", { navigation: "timeout" }, null],
    ["is unreachable when both failed", { navigation: "refused", tls: "refused" }, "refused"],
    ["is unreachable when TLS works only on another port", { url: "http://site.example/", navigation: "timeout" }, "timeout"],
    ["is blocked despite other readings", { navigation: "blocked" }, "blocked"],
    ["takes the error code from the browser", { navigation: "redirects", tls: "timeout" }, "redirects"],
    ["is unreachable when the response is not a page", { navigation: "unsupported", tls: "tls" }, "invalid"],
  ])("%s", (_words, given, code) => {
    expect(unreachableBecause(evidence(given))).toBe(code as never);
  });
});

describe("the trace of a probe", () => {
  test.each<[string, (clock: ReturnType<typeof fakeClock>) => void, Record<string, number | undefined>]>([
    ["has no standstill while timers fire in time", (clock) => clock.advance(2_000), { ms: 2_000, stoodMs: undefined }],
    ["says for how long of its time the thread could not go on", (clock) => clock.stall(2_000), { ms: 2_000, stoodMs: 1_900 }],
    ["says so of a deadline that fired late", (clock) => clock.stall(60_000), { ms: 60_000, stoodMs: 59_900 }],
  ])("%s", async (_words, pass, expected) => {
    const clock = fakeClock();
    const traces: unknown[] = [];
    const standstill = watchStandstill(clock);
    clock.stall(5_000);
    const listener = { clock, onStage: () => {}, onTrace: (trace: unknown) => void traces.push(trace) };
    const watch = startWatch(new AbortController().signal, standstill, listener);
    const ended = Promise.withResolvers<string>();
    const probed = watch.within(
      "tls",
      10_000,
      (signal) => {
        signal.addEventListener("abort", () => ended.resolve("late"));
        return ended.promise;
      },
      (because) => because,
    );
    pass(clock);
    ended.resolve("read");
    await settled();
    await probed;
    const { ms, stoodMs } = traces.at(-1) as { ms: number; stoodMs?: number };
    expect({ ms, stoodMs }).toEqual(expected as never);
  });
});
