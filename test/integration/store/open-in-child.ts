/** Child process of the data directory tests: `bun open-in-child.ts <action> <dataDir> [uid]`; prints the outcome. */
import { DataDirError } from "../../../src/store/data-dir.ts";
import { lockDataDir } from "../../../src/store/lock.ts";
import { openStore } from "../../../src/store/store.ts";
import { evidence } from "../../support/evidence.ts";

const [action, dataDir = "", uid] = process.argv.slice(2);
if (uid !== undefined) process.setuid?.(Number(uid));

try {
  if (action === "open") await openStore(dataDir).close();
  if (action === "lock") {
    lockDataDir(dataDir);
    // A child that outlives the server, as a browser may, must not keep the lock.
    print(`locked ${Bun.spawn(["sleep", "30"]).pid}`);
    await Bun.sleep(30_000);
  }
  if (action === "fill") await fill();
  print("fine");
} catch (error) {
  if (!(error instanceof DataDirError)) throw error;
  print(`${error.fault}: ${error.message}`);
}

/** Ends scans until the disk is full. */
async function fill(): Promise<void> {
  const store = openStore(dataDir);
  const large = evidence({
    page: { headers: Array.from({ length: 200 }, () => ({ name: "x", value: "v".repeat(512), truncated: false })) },
  });
  const now = new Date();
  await store.accounts.create({ email: "me@site.example", now });
  for (let count = 0; count < 100; count++) {
    await store.scans.queue({ accountId: 1, url: "https://site.example/", now });
    const scan = await store.scans.claimNext("local", now);
    await store.scans.fail(scan?.token ?? "", { code: "timeout", evidence: large, timings: {}, now });
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
