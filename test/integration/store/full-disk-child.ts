/**
 * Child process of the group commit tests: `bun full-disk-child.ts <dataDir>`. Queues groups of scans until the disk is full, and some more.
 * Prints `{ acknowledged, refusedAs, groupsRefused }` as JSON; acknowledged scans by token.
 */
import { DataDirError } from "../../../src/store/data-dir.ts";
import { openStore } from "../../../src/store/store.ts";

const groupSize = 32;
/** Groups after the first refused one: the store stays usable for reading, and refuses cleanly again. */
const groupsAfter = 5;
const groupsMax = 2_000;

const [dataDir = ""] = process.argv.slice(2);
const store = openStore(dataDir, { queueMax: Number.MAX_SAFE_INTEGER });
const now = new Date();
const url = `https://site.example/${"x".repeat(1_000)}`;
const acknowledged: string[] = [];
const refusedAs = new Set<string>();
let groupsRefused = 0;
process.on("unhandledRejection", (error) => {
  refusedAs.add(`unhandled: ${String(error)}`);
});

await store.accounts.create({ email: "me@site.example", now });
for (let group = 0; group < groupsMax && groupsRefused <= groupsAfter; group++) {
  const scans = await Promise.allSettled(Array.from({ length: groupSize }, () => store.scans.queue({ accountId: 1, url, now })));
  const tokens = scans.flatMap((scan) => (scan.status === "fulfilled" && scan.value !== "full" ? [scan.value.token] : []));
  for (const scan of scans)
    if (scan.status === "rejected") refusedAs.add(scan.reason instanceof DataDirError ? scan.reason.fault : String(scan.reason));
  acknowledged.push(...tokens);
  if (tokens.length < groupSize) groupsRefused += 1;
}
await Bun.sleep(50);
await store.close();
process.stdout.write(JSON.stringify({ acknowledged, refusedAs: [...refusedAs], groupsRefused }));
