/** Child process of the damage tests: `bun use-in-child.ts <dataDir> <whole file> <seed> <count> <first>`; uses the store after each flip. */
import { readFileSync } from "node:fs";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { openStore } from "../../../src/store/store.ts";
import { flipped, flipsOf, putStore, smallStoreLocation } from "./damaged-store.ts";

const [dataDir = "", wholeFile = "", seed, count, first] = process.argv.slice(2);
const whole = readFileSync(wholeFile);

for (const flip of flipsOf(whole, Number(seed), Number(count)).slice(Number(first))) {
  putStore(dataDir, flipped(whole, flip));
  // The phases are written before their outcome: the last one is known if it ends the process.
  process.stdout.write("opening ");
  process.stdout.write(`${await use()}\n`);
}

/** Reads all lists and makes changes; returns the outcome in one word. */
async function use(): Promise<string> {
  let unreadable = 0;
  const onUnreadable = () => {
    unreadable++;
  };
  try {
    const store = openStore(dataDir, { onUnreadable });
    process.stdout.write("reading ");
    const page = { limit: 100, cursor: null };
    store.publicScans.list(page);
    for (const id of [1, 2]) {
      store.scans.listOfAccount(id, page);
      store.apiTokens.listOfAccount(id);
    }
    store.accounts.list();
    for (const location of ["local", smallStoreLocation]) store.scans.listQueued(100, location);
    for (const location of store.scans.queuedLocations()) store.scans.queueLength(location);
    store.publicScans.locationsOfHost("site-9.example");
    store.workers.list();
    store.instance();
    store.scans.listRunning();
    process.stdout.write("writing ");
    await store.scans.requeueInterrupted(new Date());
    await store.scans.queue({ accountId: 1, url: "https://new.example/", now: new Date() });
    for (const location of ["local", smallStoreLocation]) await store.scans.claimNext(location, new Date());
    await store.scans.failWaiting(smallStoreLocation, new Date(), new Date());
    await store.workers.noteScan("UA");
    await store.close();
    return unreadable === 0 ? "fine" : "passed-over";
  } catch (error) {
    return error instanceof DataDirError ? error.fault : `broken: ${error}`;
  }
}
