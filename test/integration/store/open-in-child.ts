/** Run by the data directory's tests in a process of its own: `bun open-in-child.ts <what> <dataDir> [uid]`; says on stdout what came of it. */
import { DataDirError } from "../../../src/store/data-dir.ts";
import { lockDataDir } from "../../../src/store/lock.ts";
import { openStore } from "../../../src/store/store.ts";
import { evidence } from "../../support/evidence.ts";

const [what, dataDir = "", uid] = process.argv.slice(2);
if (uid !== undefined) process.setuid?.(Number(uid));

try {
  if (what === "open") await openStore(dataDir).close();
  if (what === "lock") {
    lockDataDir(dataDir);
    // A child of the server outlives it, as a browser may: it must not keep the lock.
    say(`locked ${Bun.spawn(["sleep", "30"]).pid}`);
    await Bun.sleep(30_000);
  }
  if (what === "fill") await fill();
  say("fine");
} catch (error) {
  if (!(error instanceof DataDirError)) throw error;
  say(`${error.fault}: ${error.message}`);
}

/** Finishes scans until there is no room. */
async function fill(): Promise<void> {
  const store = openStore(dataDir);
  const large = evidence({
    page: { headers: Array.from({ length: 200 }, () => ({ name: "x", value: "v".repeat(512), truncated: false })) },
  });
  const now = new Date();
  await store.accounts.create({ email: "me@site.example", now });
  for (let count = 0; count < 100; count++) {
    await store.scans.queue({ accountId: 1, url: "https://site.example/", now });
    const scan = await store.scans.claimNext(now);
    await store.scans.fail(scan?.token ?? "", { code: "timeout", evidence: large, timings: {}, now });
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
