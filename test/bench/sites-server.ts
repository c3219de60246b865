/** Serves the pages over a store with many watched sites of one account, and changes one of them on request. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addManySites } from "../support/many-sites.ts";
import { startPages } from "../support/pages.ts";
import { accountIn, signedIn } from "../support/signed-in.ts";
import { childInput, sendReady } from "./child.ts";

export interface SitesInput {
  readonly sites: number;
}

export interface SitesReady {
  readonly port: number;
  /** Any request to it changes one site. */
  readonly controlPort: number;
  /** Cookie header of the owner. */
  readonly cookie: string;
  readonly dataDir: string;
}

const dataDir = mkdtempSync(join(tmpdir(), "assay-bench-sites-"));
const { sites } = childInput<SitesInput>();
const pages = await startPages({ dataDir });
const { store } = pages;
const account = await accountIn(pages, "agency@assay.test");
const now = new Date();
/** Every fifth site waits for its first run. */
const dueOf = 5;
const ids = await addManySites(store, { accountId: account.id, count: sites, now, dueOf });
let changes = 0;
const control = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async () => {
    changes++;
    await store.sites.change(account.id, ids[changes % ids.length] ?? 0, () => ({ name: `Changed ${changes}` }));
    return new Response(null, { status: 204 });
  },
});
const { cookies } = await signedIn(pages, account);
const ready: SitesReady = {
  port: Number(new URL(pages.url).port),
  controlPort: control.port ?? 0,
  cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
  dataDir,
};
sendReady(ready);
