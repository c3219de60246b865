/** Thread with a browser slot that hangs after its browser has started, as a broken worker does. */
import { parentPort, workerData } from "node:worker_threads";
import { type BrowserSlotOptions, openBrowserSlot } from "../../../src/browser/slot.ts";

const slot = openBrowserSlot(workerData as BrowserSlotOptions);
await slot.begin((event) => parentPort?.postMessage(event));
// Lets the message leave before the thread hangs.
await Bun.sleep(100);
for (;;);
