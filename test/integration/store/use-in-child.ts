/** Child process of the damage tests: `bun use-in-child.ts <dataDir> <whole file> <seed> <count>`; uses the store after each flip. */
import { readFileSync } from "node:fs";
import { DataDirError } from "../../../src/store/data-dir.ts";
import { openStore } from "../../../src/store/store.ts";
import { flipped, flipsOf, putStore } from "./damaged-store.ts";

const [dataDir = "", wholeFile = "", seed, count] = process.argv.slice(2);
const whole = readFileSync(wholeFile);

for (const [index, flip] of flipsOf(whole, Number(seed), Number(count)).entries()) {
  putStore(dataDir, flipped(whole, flip));
  // Written before its outcome, so that the flip is known if it ends the process.
  process.stdout.write(`${index} byte ${flip.at} bit ${flip.bit} `);
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
    const page = { limit: 100, cursor: null };
    store.publicScans.list(page);
    for (const id of [1, 2]) {
      store.scans.listOfAccount(id, page);
      store.apiTokens.listOfAccount(id);
    }
    store.accounts.list();
    store.scans.listQueued(100);
    store.scans.listRunning();
    await store.scans.requeueInterrupted(new Date());
    await store.scans.queue({ accountId: 1, url: "https://new.example/", now: new Date() });
    await store.scans.claimNext("local", new Date());
    await store.close();
    return unreadable === 0 ? "fine" : "passed-over";
  } catch (error) {
    return error instanceof DataDirError ? error.fault : `broken: ${error}`;
  }
}
