/** Waits until a loaded page is quiet, so that forms and scripts which it adds a moment later are read, too. */
import { pause, within } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import type { CDPSession } from "../../browser/browser-page.ts";
import { openWorld } from "./page-document.ts";

// Network idle.

/** Tracks the open requests of a page. */
export class Traffic {
  /** Sessions that report the requests, by request id. */
  readonly #open = new Map<string, CDPSession | null>();
  #quietSinceMs = deadlineClock.monotonicMs();

  begin(requestId: string, session: CDPSession | null = null): void {
    this.#open.set(requestId, session);
    this.touch();
  }

  /** Restarts the idle time, for example on a redirect of an open request. */
  touch(): void {
    this.#quietSinceMs = deadlineClock.monotonicMs();
  }

  end(requestId: string): void {
    if (this.#open.delete(requestId)) this.touch();
  }

  /** Ends all requests of a worker that is gone. */
  endAll(session: CDPSession): void {
    for (const [requestId, by] of this.#open) if (by === session) this.end(requestId);
  }

  /** Resolves when no request was open for `quietMs`, at `untilMs` of `deadlineClock`, or on abort. */
  settled(quietMs: number, untilMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const poll = () => {
        const nowMs = deadlineClock.monotonicMs();
        const quietForMs = this.#open.size === 0 ? nowMs - this.#quietSinceMs : 0;
        if (quietForMs >= quietMs || nowMs >= untilMs) return done();
        timer = setTimeout(poll, Math.max(1, Math.min(quietMs - quietForMs, untilMs - nowMs)));
      };
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
      else poll();
    });
  }
}

// Timers of the page's scripts. Chromium reports them only in its trace; a replaced `setTimeout` would be visible to the page.

/** Delay of a timer for which the probe waits. */
const timerMsMax = 1_500;
/** Size of the trace. A page that fills it has more timers than can be followed. */
const traceKbMax = 4_096;
/** Timer events that are kept; each takes some 100 bytes. */
const timerEventsMax = 20_000;
/** Deadline for the trace's end, which takes some 80 ms. A later trace counts as cut. */
const traceEndMs = 1_000;

interface TimerEvent {
  readonly name: string;
  /** Milliseconds of Chromium's monotonic clock. */
  readonly atMs: number;
  readonly frame: string;
  readonly timerId: number;
  /** Milliseconds. */
  readonly timeout: number;
}

interface TimerTrace {
  /** Milliseconds until the last awaited timer fires; 0 without one. Ends the trace. Never rejects. */
  pendingMs(): Promise<number>;
}

/** Needs Page enabled. Start it before the navigation. Without a trace, `pendingMs` is 0. `isOwnFrame` names the frames that count. */
export function traceTimers(session: CDPSession, isOwnFrame: (frameId: string) => boolean): TimerTrace {
  const events: TimerEvent[] = [];
  let isCut = false;
  /** Chromium's clock minus the clock of this process. */
  let clockOffsetMs: number | null = null;
  session.on("Page.loadEventFired", ({ timestamp }) => {
    clockOffsetMs = timestamp * 1_000 - performance.now();
  });
  session.on("Tracing.dataCollected", ({ value }) => {
    const found = value.flatMap((event) => timerEventOf(event) ?? []).filter(({ frame }) => isOwnFrame(frame));
    isCut ||= events.length + found.length > timerEventsMax;
    events.push(...found.slice(0, Math.max(0, timerEventsMax - events.length)));
  });
  const completed = new Promise<void>((resolve) =>
    session.once("Tracing.tracingComplete", ({ dataLossOccurred }) => {
      isCut ||= dataLossOccurred;
      resolve();
    }),
  );
  const traceConfig = { traceBufferSizeInKb: traceKbMax, includedCategories: ["devtools.timeline"], excludedCategories: ["*"] };
  const started = session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { recordMode: "recordUntilFull", ...traceConfig },
  });
  const end = async () => {
    await started;
    await session.send("Tracing.end", undefined, { timeout: traceEndMs });
    const late = await within(deadlineClock, traceEndMs, completed, true);
    isCut ||= late === true;
    return true;
  };
  // Rejected if another page has the browser's only trace.
  void started.catch(() => {});
  let ended: Promise<boolean> | null = null;
  return {
    pendingMs: async () => {
      const askedMs = performance.now();
      ended ??= end().catch(() => false);
      if (!(await ended) || clockOffsetMs === null) return 0;
      const nowMs = performance.now();
      // A part of the longest wait has passed, if the trace ended late.
      return isCut ? Math.max(0, timerMsMax - (nowMs - askedMs)) : pendingTimerMs(events, nowMs + clockOffsetMs);
    },
  };
}

/** Null for other events. The process of the page writes them, so that no field is certain. */
function timerEventOf(event: object): TimerEvent | null {
  const { name, ts, args } = event as Record<"name" | "ts" | "args", unknown>;
  if (typeof name !== "string" || typeof ts !== "number" || !/^(CommitLoad|Timer(Install|Fire|Remove))$/.test(name)) return null;
  const { frame, timerId = 0, timeout = 0 } = ((args as { data?: object } | undefined)?.data ?? {}) as Record<string, unknown>;
  if (typeof frame !== "string" || typeof timerId !== "number" || typeof timeout !== "number") return null;
  return { name, atMs: ts / 1_000, frame, timerId, timeout };
}

/** Milliseconds until the last timer of at most `timerMsMax` fires that never fired. An interval that fired has shown what it does. */
export function pendingTimerMs(events: readonly TimerEvent[], nowMs: number): number {
  const pending = new Map<string, { readonly frame: string; readonly dueMs: number }>();
  for (const { name, atMs, frame, timerId, timeout } of [...events].sort((one, other) => one.atMs - other.atMs)) {
    const key = `${frame} ${timerId}`;
    if (name === "TimerInstall" && timeout <= timerMsMax) pending.set(key, { frame, dueMs: atMs + timeout });
    // The timers of the document before this one are gone.
    else if (name === "CommitLoad") for (const [known, timer] of pending) timer.frame === frame && pending.delete(known);
    else pending.delete(key);
  }
  return Math.min(timerMsMax, Math.max(0, ...[...pending.values()].map(({ dueMs }) => dueMs - nowMs)));
}

// Changes of the document that concern what the probes read.

/** Deadline for one question to the page's thread. */
const answerMs = 1_000;
const watchedElements = "script, link, meta, base, form, input, button, iframe, frame, object, embed";
const watchedAttributes = ["src", "href", "action", "formaction", "integrity", "type", "rel", "srcdoc"];

/** Runs in an isolated world. Changes of text, classes and other elements do not count: a clock on the page changes them each second. */
function observeChanges(selector: string, attributeFilter: string[]): () => number {
  let changedMs = Number.NEGATIVE_INFINITY;
  const { matches, querySelector } = Element.prototype;
  const isWatched = (node: Node) =>
    node instanceof Element && (matches.call(node, selector) || querySelector.call(node, selector) !== null);
  const observer = new MutationObserver((changes) => {
    const counts = ({ type, addedNodes, removedNodes }: MutationRecord) =>
      type === "attributes" || [...addedNodes, ...removedNodes].some(isWatched);
    if (changes.some(counts)) changedMs = performance.now();
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter });
  return () => performance.now() - changedMs;
}

/** Milliseconds since the last change, as a function. Infinite without a change, and for a page that does not answer. */
async function watchChanges(session: CDPSession, frameId: string): Promise<() => Promise<number>> {
  const call = `(${observeChanges})(${JSON.stringify(watchedElements)}, ${JSON.stringify(watchedAttributes)})`;
  const limits = { timeout: answerMs };
  try {
    const contextId = await openWorld(session, frameId, answerMs);
    const { result } = await session.send("Runtime.evaluate", { expression: call, contextId }, limits);
    const { objectId = "" } = result;
    const question = { objectId, functionDeclaration: "function () { return this(); }", returnByValue: true } as const;
    return async () => {
      const answer = await session.send("Runtime.callFunctionOn", question, limits).catch(() => null);
      const sinceMs: unknown = answer?.result.value;
      return typeof sinceMs === "number" ? sinceMs : Number.POSITIVE_INFINITY;
    };
  } catch {
    return async () => Number.POSITIVE_INFINITY;
  }
}

/** Longest time that late timers and changes add. */
export const extensionMsMax = 2_000;
/** Part of the quiet time in which the trace ends. */
const traceShareMs = 100;

interface Settling {
  readonly session: CDPSession;
  /** The page's main frame. */
  readonly frameId: string;
  readonly traffic: Traffic;
  readonly timers: TimerTrace;
  readonly deadlines: { readonly settleMs: number; readonly settleMaxMs: number };
  readonly signal: AbortSignal;
}

/**
 * Resolves when the network was quiet for `settleMs` or after `settleMaxMs`, and then waits at most `extensionMsMax` for timers and for
 * changes of the document. True if the document was still changing.
 */
export async function settle({ session, frameId, traffic, timers, deadlines, signal }: Settling): Promise<boolean> {
  const { settleMs: quietMs, settleMaxMs } = deadlines;
  const changes = watchChanges(session, frameId);
  traffic.touch();
  const untilMs = deadlineClock.monotonicMs() + settleMaxMs;
  await traffic.settled(quietMs - Math.min(traceShareMs, quietMs / 2), untilMs, signal);
  const [pendingMs, changedMsAgo] = await Promise.all([timers.pendingMs(), changes, traffic.settled(quietMs, untilMs, signal)]);
  const lateUntilMs = deadlineClock.monotonicMs() + extensionMsMax;
  const settleLate = async (waitMs: number) => {
    await pause(deadlineClock, Math.min(waitMs, lateUntilMs - deadlineClock.monotonicMs()), signal);
    await traffic.settled(quietMs, lateUntilMs, signal);
  };
  if (pendingMs > 0) {
    await pause(deadlineClock, pendingMs, signal);
    // The timer's own requests begin a moment later.
    traffic.touch();
    await settleLate(0);
  }
  for (;;) {
    const sinceMs = await changedMsAgo();
    if (sinceMs >= quietMs || signal.aborted) return false;
    if (deadlineClock.monotonicMs() >= lateUntilMs) return true;
    await settleLate(quietMs - sinceMs);
  }
}
