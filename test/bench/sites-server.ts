/** Serves the pages over a store with many watched sites of one account, and changes one of them on request. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "../../src/base/units.ts";
import { standing } from "../../src/judge/result.ts";
import { startPages } from "../support/pages.ts";
import { accountIn, signedIn } from "../support/signed-in.ts";
import { newSite } from "../support/watched-sites.ts";
import { childInput, sendReady } from "./child.ts";

const clients = 60;
const trendLength = 20;

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
const added = await store.sites.add(
  Array.from({ length: sites }, (_none, at) =>
    newSite({
      accountId: account.id,
      url: `https://www.customer-number-${at}.example/`,
      name: `Web site of customer ${at}`,
      client: `Client ${at % clients} Ltd`,
      tags: ["live", at % 2 === 0 ? "shop" : "blog"],
      now,
    }),
  ),
  sites,
);
const ids = added.flatMap((site) => (typeof site === "string" ? [] : [site.id]));
await store.sites.changeAll(account.id, ids, ({ id }) => {
  const score = (id * 37) % 101;
  const at = new Date(now.getTime() - (id % 7) * dayMs).toISOString();
  return {
    lastRunAt: at,
    nextRunAt: new Date(now.getTime() + (id % 7) * dayMs + dayMs).toISOString(),
    trend: Array.from({ length: trendLength }, (_none, step) => (score + step * (id % 3)) % 101),
    reading: {
      token: `${id}`.padStart(22, "t"),
      at,
      score,
      ...standing(score),
      open: id % 30,
      certificateExpiresAt: new Date(now.getTime() + (id % 90) * dayMs).toISOString(),
    },
  };
});
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
