/** Child process of the group commit tests: `bun queue-in-child.ts <dataDir>` queues groups of scans without end, and prints each acknowledged token. */
import { writeSync } from "node:fs";
import { openStore } from "../../../src/store/store.ts";

const groupSize = 16;

const [dataDir = ""] = process.argv.slice(2);
const store = openStore(dataDir, { queueMax: Number.MAX_SAFE_INTEGER });
const now = new Date();
for (;;) {
  const group = Array.from({ length: groupSize }, async () => {
    const scan = await store.scans.queue({ accountId: null, url: "https://site.example/", now });
    // Synchronous: what the parent has read was acknowledged.
    if (scan !== "full") writeSync(1, `${scan.token}\n`);
  });
  await Promise.all(group);
}
