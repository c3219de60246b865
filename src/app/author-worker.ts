/** Entry of the thread that tests and tries checks of authors: their code never runs on the main thread. */
import { parentPort, workerData } from "node:worker_threads";
import { type AuthorTask, runAuthorTask } from "../authoring/author-thread.ts";

await runAuthorTask(workerData as AuthorTask, (message) => parentPort?.postMessage(message));
