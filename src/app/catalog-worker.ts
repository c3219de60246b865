/** Entry of the thread that loads and validates plugin checks, so that no plugin runs on the main thread. */
import { parentPort, workerData } from "node:worker_threads";
import { type LoadTask, loadPluginFiles } from "../catalog/plugin-thread.ts";

await loadPluginFiles(workerData as LoadTask, (message) => parentPort?.postMessage(message));
