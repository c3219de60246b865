/** Watches the workers of a page: dedicated, shared and service workers. Each waits until the browser reports its requests. */
import type { BrowserPage, CDPSession, Protocol } from "../../browser/browser-page.ts";

/** Workers of one page load that are watched. Ordinary pages have fewer than ten; a hostile page can start more without end. */
const workersMax = 50;

export interface PageWorker {
  readonly session: CDPSession;
  /** Id of the worker, and of the request for its own script. */
  readonly targetId: string;
  /** Origin of its URL; `null` as text for an opaque one, as of a data: URL. */
  readonly origin: string;
  /** A service worker outlives the document that registered it. */
  readonly isService: boolean;
}

interface WorkerListener {
  /** Called before the worker runs. */
  onWorker(worker: PageWorker): void;
  /** Called for each worker above `workersMax`. */
  onUnwatched(worker: Pick<PageWorker, "origin">): void;
}

/** Resolves when each later worker of the page will be watched. Workers inside of workers are watched as well. */
export async function watchWorkers({ session, browserSession, contextId }: BrowserPage, listener: WorkerListener): Promise<void> {
  let watched = 0;
  const attach = async (parent: CDPSession, types: readonly string[]): Promise<void> => {
    parent.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      const worker = parent.connection()?.session(sessionId);
      if (worker) onTarget(parent, worker, targetInfo);
    });
    const filter = types.map((type) => ({ type }));
    await parent.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter });
  };
  const onTarget = (parent: CDPSession, worker: CDPSession, { targetId, type, url, browserContextId }: Protocol.Target.TargetInfo) => {
    const isOfPage = browserContextId === contextId;
    const isWatched = isOfPage && watched < workersMax;
    const origin = URL.parse(url)?.origin ?? "null";
    const commands: Promise<unknown>[] = [];
    if (isWatched) {
      watched++;
      listener.onWorker({ session: worker, targetId, origin, isService: type === "service_worker" });
      commands.push(worker.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }), attach(worker, ["worker"]));
    } else if (isOfPage) listener.onUnwatched({ origin });
    // Sent without waiting: a worker starts even if it answers nothing.
    commands.push(worker.send("Runtime.runIfWaitingForDebugger"));
    if (!isWatched) commands.push(parent.send("Target.detachFromTarget", { sessionId: worker.id() }));
    // A worker may end before it answers.
    for (const command of commands) command.catch(() => {});
  };
  // Shared and service workers belong to no page.
  await Promise.all([attach(session, ["worker"]), attach(browserSession, ["shared_worker", "service_worker"])]);
}
