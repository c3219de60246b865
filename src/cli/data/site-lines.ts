/** Lines of `assay data export` about watched sites and notifications. */
import type { Account } from "../../store/accounts.ts";
import type { HostScope } from "../../store/erasure.ts";
import type { Page } from "../../store/page.ts";
import type { Site } from "../../store/sites.ts";
import type { Store } from "../../store/store.ts";

const rowsAtOnce = 500;

/** Sites, channels, rules, events, deliveries, members, invitations and brand. Secrets and keys of links are left out. */
export function* siteLinesOfAccount(store: Store, { id: accountId, email }: Pick<Account, "id" | "email">): Generator<object, void> {
  for (const site of store.sites.list(accountId)) yield { kind: "site", ...site, ...knownOf(store, site) };
  for (const { kind: channelKind, secrets, unsubscribeKey: _key, confirmation, ...channel } of store.channels.list(accountId))
    yield { kind: "channel", channelKind, ...channel, secretCount: secrets.length, confirmationExpiresAt: confirmation?.expiresAt ?? null };
  for (const rule of store.rules.list(accountId)) yield { kind: "rule", ...rule };
  for (const event of pagesOf((page) => store.events.list(accountId, page))) yield { kind: "event", ...event };
  for (const delivery of pagesOf((page) => store.deliveries.list(accountId, page))) yield { kind: "delivery", ...delivery };
  for (const member of [...store.members.list(accountId), ...store.members.owners(accountId)]) yield { kind: "member", ...member };
  const now = new Date();
  for (const invitation of [...store.members.invitations(accountId, now), ...store.members.invitationsTo(email, now)])
    yield { kind: "invitation", ...invitation };
  const brand = store.brands.find(accountId);
  if (brand !== undefined) yield { kind: "brand", ...brand };
  if (store.metricsTokens.has(accountId)) yield { kind: "metrics-token" };
}

/** What is known of a host, without the account that watches it and the names that it gave. `tokens`: of its scans. */
export function* siteLinesOfHost(store: Store, host: HostScope, tokens: ReadonlySet<string>): Generator<object, void> {
  const sites = store.erasure.sitesOfHost(host);
  for (const site of sites) {
    const { url, pages, location, createdAt, lastRunAt, failingSince, reading, trend } = site;
    const known = knownOf(store, site);
    const history = known.history.filter(({ token }) => tokens.has(token));
    yield { kind: "site", url, pages, location, createdAt, lastRunAt, failingSince, reading, trend, ...known, history };
  }
  for (const { type, at, token, data } of store.erasure.eventsOfHost(host, tokens)) yield { kind: "event", type, at, token, data };
  const ids = new Set(sites.map(({ id }) => id));
  // Of sites that have another address now.
  for (const { siteId, entry } of store.erasure.historyOfScans(tokens)) if (!ids.has(siteId)) yield { kind: "history", ...entry };
}

function knownOf({ siteRuns }: Store, { id }: Site) {
  return { run: siteRuns.find(id) ?? null, state: siteRuns.state(id), history: siteRuns.history(id) };
}

/** Newest first. */
function* pagesOf<T>(read: (page: { readonly limit: number; readonly cursor: number | null }) => Page<T>): Generator<T, void> {
  let cursor: number | null = null;
  do {
    const page: Page<T> = read({ limit: rowsAtOnce, cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
