/** Waits until a loaded page is quiet, so that forms and scripts which it adds a moment later are read, too. */
import { pause, systemClock, within } from "../../base/clock.ts";
import { deadlineClock } from "../../base/standstill.ts";
import type { CDPSession } from "../../browser/browser-page.ts";
import { openWorld } from "./page-document.ts";

/** Deadline for one question to the page's thread. */
const answerMs = 1_000;

// Network idle.

/** Share of the quiet time in which browser and thread had a processor. The other probes, which start beside the page, take less than the rest. */
const runningShareMin = 0.5;

const now = () => ({ ms: systemClock.monotonicMs(), runningMs: deadlineClock.monotonicMs() });

function quietMsSince({ ms, runningMs }: ReturnType<typeof now>): number {
  const { ms: nowMs, runningMs: nowRunningMs } = now();
  return Math.min(nowMs - ms, (nowRunningMs - runningMs) / runningShareMin);
}

/** Tracks the open requests of a page. */
export class Traffic {
  /** Sessions that report the requests, by request id. */
  readonly #open = new Map<string, CDPSession | null>();
  #quietSince = now();

  begin(requestId: string, session: CDPSession | null = null): void {
    this.#open.set(requestId, session);
    this.touch();
  }

  /** Restarts the idle time, for example on a redirect of an open request. */
  touch(): void {
    this.#quietSince = now();
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
        const quietForMs = this.#open.size === 0 ? quietMsSince(this.#quietSince) : 0;
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
/** Deadline for the trace's start and its end, which take some 80 ms. Chromium may take 5 s, in the first trace of a browser above all. */
const traceMs = 1_000;
/** Timer events that are kept; each takes some 100 bytes. */
const timerEventsMax = 20_000;
/** Frames that are asked whether they have timers. With more of them, the trace is awaited. */
const askedFramesMax = 20;

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
  /** Milliseconds until the last awaited timer fires; 0 without one, and the longest time if that is not known. Ends the trace. Never rejects. */
  pendingMs(): Promise<number>;
  /** Frees the trace, of which a browser has only one. Never rejects. */
  end(): Promise<void>;
}

interface CountedFrames {
  has(frameId: string): boolean;
  ids(): readonly string[];
}

/** Needs Page enabled. Start it before the navigation. */
export function traceTimers(session: CDPSession, frames: CountedFrames): TimerTrace {
  const events: TimerEvent[] = [];
  let isCut = false;
  /** Chromium's clock minus the clock of this process. */
  let clockOffsetMs: number | null = null;
  session.on("Page.loadEventFired", ({ timestamp }) => {
    clockOffsetMs = timestamp * 1_000 - performance.now();
  });
  session.on("Tracing.dataCollected", ({ value }) => {
    const found = value.flatMap((event) => timerEventOf(event) ?? []).filter(({ frame }) => frames.has(frame));
    isCut ||= events.length + found.length > timerEventsMax;
    events.push(...found.slice(0, Math.max(0, timerEventsMax - events.length)));
  });
  const completed = new Promise<boolean>((resolve) =>
    session.once("Tracing.tracingComplete", ({ dataLossOccurred }) => resolve(!dataLossOccurred)),
  );
  const traceConfig = { traceBufferSizeInKb: traceKbMax, includedCategories: ["devtools.timeline"], excludedCategories: ["*"] };
  // Rejected if another page has the browser's only trace.
  const started = session
    .send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { recordMode: "recordUntilFull", ...traceConfig } })
    .then(
      () => true,
      () => false,
    );
  const isComplete = async () => {
    if (!(await within(deadlineClock, traceMs, started, false))) return false;
    await session.send("Tracing.end", undefined, { timeout: traceMs });
    return within(deadlineClock, traceMs, completed, false);
  };
  let ended: Promise<boolean> | null = null;
  const end = () => {
    ended ??= isComplete().catch(() => false);
    return ended;
  };
  return {
    pendingMs: async () => {
      const askedMs = performance.now();
      const hasEnded = end();
      if (!(await mayHaveTimers(session, frames.ids()))) return 0;
      const isWhole = (await hasEnded) && !isCut;
      const nowMs = performance.now();
      // A part of the longest wait has passed, if the trace ended late.
      return isWhole && clockOffsetMs !== null
        ? pendingTimerMs(events, nowMs + clockOffsetMs)
        : Math.max(0, timerMsMax - (nowMs - askedMs));
    },
    end: async () => void (await end()),
  };
}

/**
 * False if no script of the frames ever set a timer. A window numbers all timers in one row, from 1. Isolated worlds have no row of their own.
 * The page can see no more than that a number is missing. True without an answer.
 */
async function mayHaveTimers(session: CDPSession, frameIds: readonly string[]): Promise<boolean> {
  if (frameIds.length > askedFramesMax) return true;
  const firstTimer = "(() => { const id = setTimeout(() => {}); clearTimeout(id); return id; })()";
  const setTimers = async (frameId: string) => {
    const contextId = await openWorld(session, frameId, answerMs);
    const { result } = await session.send("Runtime.evaluate", { expression: firstTimer, contextId }, { timeout: answerMs });
    return result.value !== 1;
  };
  return Promise.all(frameIds.map(setTimers)).then(
    (answers) => answers.includes(true),
    () => true,
  );
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
