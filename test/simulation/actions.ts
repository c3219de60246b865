/** Carries out the steps of a plan: what people, operators and the machine do to the server. */
import { cancelOwnScan, startScan } from "../../src/scans/scan-operations.ts";
import { removeSites, scanSite, addSites as storeSites } from "../../src/sites/site-operations.ts";
import type { Account } from "../../src/store/accounts.ts";
import { serverActor } from "../../src/store/audit.ts";
import { eventTypes } from "../../src/store/notification-rules.ts";
import type { Site } from "../../src/store/sites.ts";
import type { Life } from "./life.ts";
import type { Action, Step } from "./plan.ts";
import type { World } from "./world.ts";

const silentLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

type Of<Name extends Action["do"]> = Extract<Action, { readonly do: Name }>;

const emailOf = (account: string) => `${account}@agency.test`;
export const targetOf = (channel: string, kind: string) => (kind === "mail" ? `${channel}@client.test` : `https://${channel}.hook.test/`);

function accountOf({ store }: Life, name: string): Account | undefined {
  return store.accounts.findByEmail(emailOf(name));
}

function siteOf(life: Life, account: string, host: string): Site | undefined {
  const owner = accountOf(life, account);
  return owner && life.store.sites.list(owner.id).find(({ url }) => new URL(url).hostname === host);
}

/** Parts of a use case, as a request gets them. */
function contextOf({ store, parts, progress, clock }: Life) {
  return {
    ...{ store, now: clock.now, log: silentLog },
    scanning: { wake: () => parts?.dispatcher.wake(), cancelled: (token: string) => progress.publish(token, { type: "cancelled" }) },
    sites: { wakeClock: () => parts?.sites.wake() },
  };
}

type Handlers = { readonly [Name in Action["do"]]?: (world: World, life: Life, action: Of<Name>) => Promise<string> };

/** Each returns the answer in plain words. A process that ends meanwhile answers nothing. */
const handlers: Handlers = {
  account: async (_world, { store, clock }, { account, plan }) => {
    const created = await store.accounts.create({ email: emailOf(account), plan, now: clock.now() });
    return typeof created === "string" ? created : `account ${created.id}`;
  },
  channel: async (_world, life, { account, channel, kind }) => {
    const owner = accountOf(life, account);
    if (owner === undefined) return "no such account";
    const [now, accountId] = [life.clock.now(), owner.id];
    const target = targetOf(channel, kind);
    const added = await life.store.channels.add({ accountId, kind, name: channel, target, secrets: [], verified: true, now });
    if (added === "full") return added;
    await life.store.rules.add({ accountId, scope: { kind: "all" }, events: eventTypes, severityMin: "info", channelIds: [added.id], now });
    return `channel ${added.id}`;
  },
  site: async (_world, life, { account, host, pages, schedule }) => {
    const owner = accountOf(life, account);
    if (owner === undefined) return "no such account";
    const fields = {
      ...{ url: `https://${host}/`, name: host, client: null, tags: [], schedule, location: "local", paused: false },
      pages: Array.from({ length: pages }, (_none, at) => `https://${host}/page-${at + 1}`),
    };
    const [added] = await storeSites(contextOf(life), { owner, by: owner }, [fields]);
    return typeof added === "object" ? `site ${added.id}` : String(added);
  },
  scan: async (world, life, { account, host, name }) => {
    const owner = account === null ? null : (accountOf(life, account) ?? null);
    if (account !== null && owner === null) return "no such account";
    const answer = await startScan(contextOf(life), owner, { url: `https://${host}/` });
    if ("refused" in answer) return `refused: ${answer.refused}`;
    const { done } = answer;
    world.tokens.set(name, done.token);
    world.told.accepted.set(done.token, { accountId: owner?.id ?? null, atMs: world.nowMs });
    return `scan ${done.id}`;
  },
  cancel: async (world, life, { name, by }) => {
    const token = world.tokens.get(name) ?? "";
    const accountId = world.told.accepted.get(token)?.accountId ?? null;
    if (by === "owner") {
      if (accountId === null) return "a guest cannot cancel";
      world.told.removable.add(token);
      const answer = await cancelOwnScan(contextOf(life), { id: accountId }, token);
      if ("refused" in answer) return answer.refused;
      world.told.removed.add(token);
      return "removed";
    }
    const outcome = await life.parts?.dispatcher.cancel(token);
    if (outcome === "cancelled") world.told.cancelled.add(token);
    return outcome ?? "no server";
  },
  "scan site": async (_world, life, { account, host }) => {
    const [owner, site] = [accountOf(life, account), siteOf(life, account, host)];
    if (owner === undefined || site === undefined) return "no such site";
    const answer = await scanSite(contextOf(life), { owner, by: owner }, site.id);
    return "refused" in answer ? answer.refused : "started";
  },
  "remove site": async (world, life, { account, host }) => {
    const [owner, site] = [accountOf(life, account), siteOf(life, account, host)];
    if (owner === undefined || site === undefined) return "no such site";
    await removeSites(contextOf(life), { owner, by: owner }, [site.id]);
    world.told.removedSites.set(site.id, owner.id);
    return `site ${site.id} is removed`;
  },
  "delete account": async (world, life, { account }) => {
    const owner = accountOf(life, account);
    if (owner === undefined) return "no such account";
    for (const [token, { accountId }] of world.told.accepted) if (accountId === owner.id) world.told.removable.add(token);
    const sites = life.store.sites.list(owner.id).map(({ id }) => id);
    await life.store.erasure.carryOut(life.store.erasure.accountDeletion(owner, life.clock.now()), serverActor, life.clock.now());
    world.told.deletedAccounts.add(owner.id);
    for (const id of sites) world.told.removedSites.set(id, owner.id);
    return `account ${owner.id} is deleted`;
  },
  restart: async (world, life, { drainMs }) => {
    await life.stop(drainMs);
    world.isChanged = true;
    return "the server has ended";
  },
};

/** Begins the step; it may wait for an answer while others begin. Never rejects. */
export function perform(world: World, step: Step): void {
  const { do: name, atMs: _atMs, ...given } = step;
  const action: Action = step;
  const said = `${name} ${JSON.stringify(given).replaceAll(/["{}]/g, "").replaceAll(",", ", ")}`;
  world.say(said);
  if (isOfWorld(world, action)) return;
  const { life } = world;
  const handler = handlers[name] as ((world: World, life: Life, action: Action) => Promise<string>) | undefined;
  if (life === null || life.state !== "up" || handler === undefined) {
    world.say(`${said}: no server answers`);
    return;
  }
  handler(world, life, action).then(
    (answer) => world.say(`${said}: ${answer}`),
    (error: unknown) => world.say(`${said}: ${error instanceof Error ? error.message : "an error"}`),
  );
}

/** Steps that no server takes part in. */
function isOfWorld(world: World, action: Action): boolean {
  switch (action.do) {
    case "page":
      world.pages.set(action.host, action);
      return true;
    case "receiver":
      for (const kind of ["webhook", "mail"]) world.moods.set(targetOf(action.channel, kind), action.mood);
      return true;
    case "clock":
      world.clock.set(new Date(world.clock.now().getTime() + action.byMs));
      return true;
    case "disk full":
      world.isDiskFull = true;
      world.fullSpans.push({ fromMs: world.nowMs });
      world.clock.after(action.forMs, () => {
        world.isDiskFull = false;
        world.say("the disk has room again");
      });
      return true;
    case "refuse":
      world.refuseAt = { writesLeft: action.writes, count: action.count };
      return true;
    case "kill":
      world.downMs = action.downMs;
      world.killAt = { writesLeft: action.writes, moment: action.moment };
      return true;
    default:
      return false;
  }
}
