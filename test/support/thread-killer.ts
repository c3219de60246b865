/** Preloaded into the program under test: each SIGUSR2 ends one worker thread at once, the oldest first. */
import { Worker } from "node:worker_threads";

const workers = new Set<Worker>();
const { postMessage } = Worker.prototype;

// The pool sends each new thread a message.
Worker.prototype.postMessage = function (this: Worker, ...sent: Parameters<typeof postMessage>): void {
  if (!workers.has(this)) {
    workers.add(this);
    this.once("exit", () => workers.delete(this));
  }
  postMessage.apply(this, sent);
};

process.on("SIGUSR2", () => {
  const [oldest] = workers;
  if (oldest === undefined) return;
  workers.delete(oldest);
  process.stderr.write(`${process.env.THREAD_KILLED_LINE}\n`);
  void oldest.terminate();
});
