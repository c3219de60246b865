/** Watched sites for browser tests: measured, failing, paused and new ones, with notifications and a member who reads them. */
import { dayMs } from "../../../src/base/units.ts";
import { confirmationUrl, unsubscribeUrl } from "../../../src/channels/channel-operations.ts";
import type { Site } from "../../../src/store/sites.ts";
import type { Store } from "../../../src/store/store.ts";
import { measureOften } from "../../support/measured-sites.ts";
import { addSite } from "../../support/watched-sites.ts";

/** One pixel. */
const pixelPng = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==";

/** The queue must be empty. `reader` may see the sites, but not change them. */
export async function fillWatchedSites(
  store: Store,
  { owner, reader, longWord }: { readonly owner: number; readonly reader: number; readonly longWord: string },
  ago: (days: number) => Date,
): Promise<{ readonly measured: number; readonly fresh: number; readonly links: ChannelLinks }> {
  const channel = await store.channels.add({
    ...{ accountId: owner, kind: "webhook", name: longWord, target: "https://hooks.example.org/x", secrets: ["whsec_x"] },
    ...{ verified: true, now: ago(60) },
  });
  if (typeof channel === "string") throw new Error(channel);
  const events = ["finding.opened", "site.score_dropped", "site.unreachable"] as const;
  await store.rules.add({ accountId: owner, scope: { kind: "all" }, events, severityMin: "info", channelIds: [channel.id], now: ago(60) });

  const add = (url: string, given: Partial<Site> = {}) =>
    addSite(store, { accountId: owner, url, now: ago(50), client: "Example Ltd", ...given });
  const measured = await measuredSite(
    store,
    await add("https://watched.example/", { name: "Shop of Example", tags: ["live", "shop"] }),
    ago,
  );
  const failing = await add("https://watched-failing.example/", { tags: [longWord.slice(0, 40)] });
  await measureOften(
    store,
    failing,
    [9, 7, 5, 3].map((days, at) => ({ at: ago(days), shows: at === 0 ? "plain" : null })),
  );
  await planHeaders(store, measured, longWord, ago);
  const paused = await add(`https://watched-paused.example/${longWord}`, { name: longWord, client: longWord.slice(0, 60) });
  const fresh = await add("https://xn--bcher-kva.example/", { client: null, schedule: { cron: "30 2 * * 1", zone: "Europe/Berlin" } });
  await store.sites.changeAll(owner, [measured.id, failing.id, fresh.id], () => ({ nextRunAt: ago(-3).toISOString(), secondLookAt: null }));
  await store.sites.change(owner, paused.id, () => ({ paused: true, nextRunAt: null }));
  await store.brands.change(owner, () => ({
    name: "Agency of Example",
    logoPng: pixelPng,
    accent: "#1f4fa3",
    footer: `Questions: ${longWord}@example.org`,
  }));
  await share(store, owner, reader);
  return { measured: measured.id, fresh: fresh.id, links: await channelLinks(store, owner, ago(1)) };
}

/** Headers that break the page of the site by now, with addresses as long as a page can have. */
async function planHeaders(store: Store, site: Site, longWord: string, ago: (days: number) => Date): Promise<void> {
  const since = ago(3).toISOString();
  const url = `https://cdn.example/${longWord.repeat(3)}`;
  const blocked = [
    { directive: "script-src-elem", url: null, kind: "inline" },
    { directive: "img-src", url, kind: "url" },
  ];
  const headers = [{ name: "Content-Security-Policy", value: `default-src 'self'; img-src 'self' ${longWord}.example` }];
  const policy = { url: site.url, headers, proof: "0".repeat(22), savedAt: ago(9).toISOString(), triedAt: since, brokenSince: since };
  const data = { url: site.url, since, blocked, blockedDropped: 4 };
  const noted = {
    site: { policy: { ...policy, reported: true, blocked } },
    events: [{ type: "policy.broken", token: null, data }],
  } as const;
  await store.siteRuns.notePolicy(site, () => noted, ago(3));
}

/** Paths of the links in mails of two channels. */
export interface ChannelLinks {
  readonly confirm: string;
  readonly unsubscribe: string;
}

async function channelLinks(store: Store, accountId: number, now: Date): Promise<ChannelLinks> {
  const add = async (verified: boolean) => {
    const target = `reports-${verified}@example.org`;
    const added = await store.channels.add({ accountId, kind: "mail", name: target, target, secrets: [], verified, now });
    if (typeof added === "string") throw new Error(added);
    return added;
  };
  const [open, active] = [await add(false), await add(true)];
  const value = (await store.channels.issueConfirmation(accountId, open.id, new Date())) ?? "";
  return { confirm: confirmationUrl("", open, value), unsubscribe: unsubscribeUrl("", active) ?? "" };
}

/** Two months of scans: good, then bad, with an accepted finding. */
async function measuredSite(store: Store, site: Site, ago: (days: number) => Date): Promise<Site> {
  const courses = ["sound", "sound", "silent", "silent", "sound", "bare", "bare"] as const;
  const measured = await measureOften(
    store,
    site,
    courses.map((shows, at) => ({ at: new Date(ago(40).getTime() + 5 * at * dayMs), shows })),
  );
  const { findings } = store.siteRuns.state(site.id);
  const [code = ""] = Object.entries(findings).flatMap(([each, { state }]) => (state === "open" ? each : []));
  const accepted = {
    code,
    reason: "Fixed with the relaunch",
    until: ago(-90).toISOString().slice(0, 10),
    acceptedAt: ago(5).toISOString(),
  };
  await store.sites.change(site.accountId, site.id, () => ({ accepted: [accepted], pages: ["https://watched.example/shop?step=2"] }));
  return measured;
}

async function share(store: Store, ownerId: number, memberId: number): Promise<void> {
  const email = store.accounts.findById(memberId)?.email ?? "";
  const now = new Date();
  const invited = await store.members.invite({ ownerId, email, role: "viewer" }, now);
  if (typeof invited === "string") throw new Error(invited);
  await store.members.accept(invited.value, memberId, now);
}
