/** Deliveries of a real server: what a process leaves that was killed, and what the end of a scan reports. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newWebhookSecret } from "../../../src/channels/webhook.ts";
import { eventTypes } from "../../../src/store/notification-rules.ts";
import { newSiteState } from "../../../src/store/site-runs.ts";
import { openStore } from "../../../src/store/store.ts";
import { startWebhookReceiver, until } from "../../support/delivery-rig.ts";
import { endServers, type ServerUnderTest, serve } from "../../support/program.ts";
import { addSite } from "../../support/watched-sites.ts";

let folder: string;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-delivery-"));
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  await endServers();
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startServer(): Promise<ServerUnderTest> {
  const env = {
    ASSAY_BROWSER_PATH: "/nonexistent/browser",
    ASSAY_WEBHOOKS_ALLOW_CIDRS: "127.0.0.1/32",
    ASSAY_WEBHOOKS_ALLOW_HTTP: "true",
    ASSAY_PUBLIC_URL: "https://assay.test",
    ASSAY_LOG_FORMAT: "json",
  };
  return serve(["--data", folder], { env });
}

async function withStore<T>(use: (store: ReturnType<typeof openStore>) => Promise<T>): Promise<T> {
  const store = openStore(folder, { noSync: true });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

test("a delivery outlives kill -9, is sent under one id, and the end of a scan is reported", async () => {
  const now = new Date();
  await withStore(async (store) => {
    await store.accounts.create({ email: "owner@agency.test", now });
    const target = `${receiver.url}/hook`;
    const secrets = [newWebhookSecret()];
    const channel = await store.channels.add({ accountId: 1, kind: "webhook", name: "Ops", target, secrets, verified: true, now });
    if (channel === "full") throw new Error("there are too many channels");
    await store.rules.add({ accountId: 1, scope: { kind: "all" }, events: eventTypes, severityMin: "info", channelIds: [channel.id], now });
    const site = await addSite(store, { accountId: 1, url: "https://a.test/", now, nextRunAt: null });
    const data = { from: 90, to: 60, band: "warn", rank: "weak" } as const;
    const events = [{ type: "site.score_dropped", token: null, data }] as const;
    await store.siteRuns.noteState(site, () => ({ state: newSiteState, events }), now);
  });
  receiver.answer(() => new Promise(() => {}));
  const killed = await startServer();
  await until("the first attempt", () => receiver.webhooks.length === 1);
  await killed.end("SIGKILL");

  receiver.answer(() => ({ status: 200 }));
  await withStore((store) => store.scans.queue({ accountId: 1, url: "https://b.test/", now }));
  const next = await startServer();
  await until("the scan's end", () => receiver.webhooks.some(({ body }) => JSON.parse(body).type === "scan.finished"));
  expect(await next.end("SIGTERM")).toBe(0);

  const dropped = receiver.webhooks.filter(({ body }) => JSON.parse(body).type === "site.score_dropped");
  expect(dropped.length).toBe(2);
  expect(new Set(dropped.map(({ headers, body }) => `${headers["webhook-id"]} ${body}`)).size).toBe(1);
  const scan = JSON.parse(receiver.webhooks.find(({ body }) => JSON.parse(body).type === "scan.finished")?.body ?? "");
  expect(scan.data).toMatchObject({ site: null, url: "https://b.test/", status: "failed", score: null });
  expect(scan.data.scan.reportUrl).toBe(`https://assay.test/scans/${scan.data.scan.token}`);
  await withStore(async (store) => {
    const { items } = store.deliveries.list(1, { limit: 9, cursor: null });
    expect(items.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ["delivered", 1],
      ["delivered", 1],
    ]);
  });
});
