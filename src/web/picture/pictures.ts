/** Pictures drawn in a thread of its own, which starts with the first and ends after the last. The newest are kept. */
import { Worker } from "node:worker_threads";
import { type Log, messageOf } from "../../base/log.ts";
import { createLruByteCache } from "../../base/lru-cache.ts";

/** PNG files that are kept, with their SVG: about 80. */
const keptBytesMax = 4 * 2 ** 20;
/** Pictures that wait for the thread; one takes 30 ms. */
const waitingMax = 50;
/** Far above a slow start of the thread with a full queue. */
const deadlineMs = 15_000;
/** The thread takes 45 MB. */
const idleMs = 20_000;

export interface PictureTask {
  readonly id: number;
  readonly svg: string;
  readonly widthPx: number;
}

export type PictureReply = { readonly id: number; readonly png: Uint8Array } | { readonly id: number; readonly fault: string };

export interface Pictures {
  /** PNG of well-formed SVG. `busy`: too many are waiting. `failed`: the thread broke or took too long, as the log says. */
  pngOf(svg: string, widthPx: number): Promise<Uint8Array | "busy" | "failed">;
}

interface PicturesOptions {
  /** Entry of the thread; its place differs in a compiled binary. */
  readonly workerFile: string;
  readonly log: Log;
}

type Outcome = Uint8Array | "failed";

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, (outcome: Outcome) => void>;
  idleTimer: NodeJS.Timeout | null;
}

export function openPictures({ workerFile, log }: PicturesOptions): Pictures {
  const kept = createLruByteCache<Uint8Array>(keptBytesMax, (png, key) => png.length + 2 * key.length);
  /** Drawings in progress, so that equal requests at the same time share one. */
  const drawing = new Map<string, Promise<Outcome>>();
  let thread: Thread | null = null;
  let lastId = 0;

  return {
    pngOf: async (svg, widthPx) => {
      const key = `${widthPx} ${svg}`;
      const known = kept.get(key) ?? drawing.get(key);
      if (known !== undefined) return known;
      if (drawing.size >= waitingMax) return "busy";
      const drawn = draw(svg, widthPx).catch((error): Outcome => {
        log.warn("pictures not drawn", { because: messageOf(error), waiting: drawing.size });
        return "failed";
      });
      drawing.set(key, drawn);
      const outcome = await drawn;
      drawing.delete(key);
      if (outcome !== "failed") kept.set(key, outcome);
      return outcome;
    },
  };

  async function draw(svg: string, widthPx: number): Promise<Outcome> {
    const used = thread ?? startThread();
    thread = used;
    if (used.idleTimer !== null) clearTimeout(used.idleTimer);
    used.idleTimer = null;
    lastId += 1;
    const id = lastId;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    used.waiting.set(id, resolve);
    used.worker.postMessage({ id, svg, widthPx } satisfies PictureTask);
    const late = setTimeout(() => endThread(used, `no picture within ${deadlineMs} ms`), deadlineMs);
    const outcome = await promise;
    clearTimeout(late);
    if (used.waiting.size === 0) used.idleTimer = setTimeout(() => endThread(used, null), idleMs).unref();
    return outcome;
  }

  function startThread(): Thread {
    const worker = new Worker(workerFile);
    const started: Thread = { worker, waiting: new Map(), idleTimer: null };
    worker.on("message", (reply: PictureReply) => {
      const done = started.waiting.get(reply.id);
      started.waiting.delete(reply.id);
      if ("fault" in reply) log.warn("picture not drawn", { because: reply.fault });
      done?.("png" in reply ? reply.png : "failed");
    });
    worker.on("error", (error) => endThread(started, messageOf(error)));
    worker.on("exit", () => endThread(started, started.waiting.size === 0 ? null : "the thread has ended"));
    // Must not keep the process alive.
    worker.unref();
    return started;
  }

  /** `because`: for the log; null at the regular end. */
  function endThread(ended: Thread, because: string | null): void {
    if (thread === ended) thread = null;
    if (because !== null) log.warn("pictures not drawn", { because, waiting: ended.waiting.size });
    const left = [...ended.waiting.values()];
    ended.waiting.clear();
    for (const done of left) done("failed");
    void ended.worker.terminate();
  }
}
