/**
 * Kills a server of watched sites with SIGKILL between scan, event and delivery. No event is lost, and none is sent under two ids.
 * Browser, TLS, SMTP and webhooks are real; the clock of the server is moved forward.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { newWebhookSecret } from "../../../src/channels/webhook.ts";
import type { Delivery } from "../../../src/store/deliveries.ts";
import { eventTypes } from "../../../src/store/notification-rules.ts";
import type { EventType, StoredEvent } from "../../../src/store/site-events.ts";
import type { Store } from "../../../src/store/store.ts";
import { randomFrom } from "../../integration/store/damaged-store.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { type MailServerHandle, startMailServer } from "../../support/mail-server.ts";
import { endServers } from "../../support/program.ts";
import { startHttps, type TestServer } from "../../support/servers.ts";
import { addSite } from "../../support/watched-sites.ts";
import {
  createKilledServer,
  type HookReceiver,
  type KilledServer,
  type MailGate,
  startHookReceiver,
  startMailGate,
  untilTrue,
} from "./killed-server.ts";

const testMsMax = 900_000;
/** Longer than the wait for a second look. */
const secondLookMinutes = 11;
/** Longer than a mail waits for further events. */
const digestMinutes = 2;
/** Longer than the wait after each of the first two failed attempts. */
const retryMinutes = 6;
const randomKills = Number(process.env.KILL_ROUNDS ?? 6);
const randomKillMsMax = 4_000;
const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const random = randomFrom(seed);
/** Kills at chosen instants. */
const chosenKills = 15;
/** A page takes so long, so that kills meet scans that run. */
const pageMs = 150;
const rowsMax = 5_000;

const first = ["s1.test", "s2.test", "s3.test"] as const;
const second = ["s4.test", "s5.test", "s6.test"] as const;
const hosts: readonly string[] = [...first, ...second];
const soundHeaders = {
  "strict-transport-security": "max-age=63072000; includeSubDomains",
  "content-security-policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};
/** Hosts that lost their headers. */
const broken = new Set<string>();
/** Scans that the server has accepted. */
const accepted: string[] = [];

let sites: TestServer;
let receiver: HookReceiver;
let mail: MailServerHandle;
let gate: MailGate;
let server: KilledServer;
let apiToken = "";
const channels = { webhook: 0, mail: 0 };

beforeAll(async () => {
  sites = await startHttps(siteIdentity("s1.test", { names: hosts }), {
    "/": (request, response) => {
      const headers = broken.has(request.headers.host ?? "") ? {} : soundHeaders;
      setTimeout(() => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers });
        response.end("<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1></html>");
      }, pageMs);
    },
    "*": { status: 404, body: "not found" },
  });
  receiver = await startHookReceiver();
  mail = await startMailServer({ identity: siteIdentity("mail.test"), tls: "starttls" });
  gate = await startMailGate(mail.port, () => mail.mails.length);
  const ofSites = Object.fromEntries(hosts.map((host) => [`${host}:443`, sites]));
  server = await createKilledServer({ places: { ...ofSites, "hooks.test:443": receiver, "mail.test:587": gate } });
  await server.withStore(fill);
}, testMsMax);

afterAll(async () => {
  await endServers();
  gate?.close();
  await Promise.all([sites?.stop(), receiver?.stop(), mail?.stop()]);
  server?.remove();
});

async function fill(store: Store): Promise<void> {
  const now = new Date();
  const account = await store.accounts.create({ email: "owner@agency.test", plan: "agency", now });
  if (typeof account === "string") throw new Error(account);
  const accountId = account.id;
  for (const host of hosts) await addSite(store, { accountId, url: `https://${host}/`, now, nextRunAt: null });
  const targets = { webhook: "https://hooks.test/", mail: "owner@agency.test" } as const;
  for (const kind of ["webhook", "mail"] as const) {
    const secrets = kind === "webhook" ? [newWebhookSecret()] : [];
    const added = await store.channels.add({ accountId, kind, name: kind, target: targets[kind], secrets, verified: true, now });
    if (added === "full") throw new Error("there are too many channels");
    channels[kind] = added.id;
  }
  const channelIds = Object.values(channels);
  await store.rules.add({ accountId, scope: { kind: "all" }, events: eventTypes, severityMin: "info", channelIds, now });
  apiToken = (await store.apiTokens.create({ accountId, name: "kill", now })).value;
}

const accountId = 1;
const siteIds = new Map(hosts.map((host, at) => [host, at + 1]));
const storedEvents = (): Promise<readonly StoredEvent[]> =>
  server.withStore((store) => store.events.list(accountId, { limit: rowsMax, cursor: null }).items);
const storedDeliveries = (): Promise<readonly Delivery[]> =>
  server.withStore((store) => store.deliveries.list(accountId, { limit: rowsMax, cursor: null }).items);

async function countOf(type: EventType, of: readonly string[] = hosts): Promise<number> {
  return (await storedEvents()).filter((event) => event.type === type && of.includes(event.site?.name ?? "")).length;
}

/** A site whose run is under way is left out: its run goes on. */
async function order(of: readonly string[]): Promise<void> {
  for (const host of of) {
    const { status, body } = await server.post(`/api/v1/sites/${siteIds.get(host)}/scan`, apiToken);
    expect([202, 409]).toContain(status);
    if (status === 202)
      accepted.push(...(body as { readonly scans: readonly { readonly token: string }[] }).scans.map(({ token }) => token));
  }
}

/** The end of a scan stores an event, and the end of a run may store more. */
async function newEvent(): Promise<void> {
  const before = (await storedEvents()).length;
  await untilTrue("a new event", async () => (await storedEvents()).length > before);
}

const concluded = () => server.withStore((store) => store.siteRuns.list().length === 0);

/** Runs the sites, each time after the wait for a second look: a run that was interrupted twice has measured nothing. */
async function ranUntil(what: string, of: readonly string[], holds: () => Promise<boolean>): Promise<void> {
  await untilTrue("the end of the runs", concluded);
  await untilTrue(what, async () => {
    if (await holds()) return true;
    server.clock.forward(secondLookMinutes);
    await order(of);
    await untilTrue("the end of the runs", concluded);
    return holds();
  });
}

async function restart(): Promise<void> {
  await server.kill();
  await server.start();
}

/** Kills the server at a request to the receiver of webhooks, and starts it again. */
async function killedAt(instant: "before" | "after"): Promise<void> {
  const killed = Promise.withResolvers<void>();
  const kill = () => void server.kill().then(killed.resolve, killed.reject);
  receiver.at(instant === "before" ? { before: kill } : { after: kill });
  await killed.promise;
  receiver.at(null);
  await server.start();
}

const scanRuns = () =>
  server.withStore((store) =>
    store.siteRuns.list().some(({ scans }) => scans.some((scan) => store.scans.findByToken(scan.token)?.status === "running")),
  );

test(
  "first runs are measured although the server is killed at their start and while they run",
  async () => {
    await server.start();
    await order(hosts);
    await restart();
    await untilTrue("a scan that runs", scanRuns);
    await restart();
    const measured = () => server.withStore((store) => store.sites.list(accountId).every(({ reading }) => reading !== null));
    await ranUntil("first readings", hosts, measured);
    expect([await countOf("finding.opened"), await countOf("finding.resolved")]).toEqual([0, 0]);
  },
  testMsMax,
);

test(
  "kills after a scan, and around the answer to a webhook",
  async () => {
    for (const host of first) broken.add(host);
    await order(first);
    await newEvent();
    await server.kill();
    receiver.at("hang");
    const seen = receiver.seen.length;
    await server.start();
    await order(first);
    await untilTrue("a webhook that gets no answer", () => receiver.seen.length > seen);
    await server.kill();
    receiver.at(null);
    await server.start();
    for (const instant of ["before", "after"] as const) {
      await order(first);
      await killedAt(instant);
    }
    await untilTrue("the end of the runs", concluded);
    server.clock.forward(secondLookMinutes);
    await order(first);
    await newEvent();
    await restart();
    await ranUntil("opened findings", first, async () => (await countOf("finding.opened", first)) >= first.length);
  },
  testMsMax,
);

test(
  "kills around a mail: refused, without a greeting, and taken without a reply",
  async () => {
    await order(first);
    await newEvent();
    const attempted = async () => (await mailDeliveries()).some(({ state, attempts }) => state === "waiting" && attempts.length > 0);
    await server.kill();
    gate.set("down");
    server.clock.forward(digestMinutes);
    await server.start();
    await untilTrue("a mail that was refused", attempted);
    await server.kill();
    gate.set("silent");
    server.clock.forward(retryMinutes);
    const { connections } = gate;
    await server.start();
    await untilTrue("a connection without a greeting", () => gate.connections > connections);
    await server.kill();
    gate.set("held");
    const taken = mail.mails.length;
    await server.start();
    await untilTrue("a mail that is taken without a reply", () => mail.mails.length > taken);
    await server.kill();
    const held = mail.mails.at(-1)?.parsed.messageId;
    gate.set("open");
    await server.start();
    const copies = () => mail.mails.filter(({ parsed }) => parsed.messageId === held).length;
    await untilTrue("the same mail again", () => copies() > 1);
    expect(copies()).toBe(2);
  },
  testMsMax,
);

test(
  `kills while some sites are repaired and others break, at last at random instants (seed ${seed})`,
  async () => {
    for (const host of first) broken.delete(host);
    for (const host of second) broken.add(host);
    await order(hosts);
    await killedAt("after");
    await untilTrue("a scan that runs", async () => (await scanRuns()) || concluded());
    await restart();
    await ranUntil("resolved findings", hosts, async () => (await countOf("finding.resolved", first)) >= first.length);
    server.clock.forward(secondLookMinutes);
    await order(second);
    await server.kill();
    await server.start("listening");
    await restart();
    await ranUntil("opened findings", second, async () => (await countOf("finding.opened", second)) >= second.length);
    for (const host of second) broken.delete(host);
    for (let round = 0; round < randomKills; round++) {
      await order(hosts);
      await Bun.sleep(random() * randomKillMsMax);
      await restart();
    }
    await ranUntil("resolved findings", second, async () => (await countOf("finding.resolved", second)) >= second.length);
  },
  testMsMax,
);

const ofChannel = async (id: number) => (await storedDeliveries()).filter(({ channelId }) => channelId === id);
const mailDeliveries = () => ofChannel(channels.mail);

test(
  "nothing waits in the end",
  async () => {
    await untilTrue("the end of all deliveries", async () => {
      const waits = async () => (await storedDeliveries()).some(({ state }) => state === "waiting");
      if (!(await waits())) return true;
      server.clock.forward(retryMinutes);
      await restart();
      const due = async () => (await server.withStore((store) => store.deliveries.nextDueAt()))?.getTime() ?? Number.POSITIVE_INFINITY;
      await untilTrue("the end of what is due", async () => (await due()) > server.clock.now().getTime());
      return !(await waits());
    });
    expect(await concluded()).toBe(true);
    expect([await server.end(), server.errors()]).toEqual([0, []]);
    expect(server.kills).toBeGreaterThanOrEqual(chosenKills + randomKills);
    const stored = await storedEvents();
    const copies = mail.mails.length - new Set(mail.mails.map(({ parsed }) => parsed.messageId)).size;
    const webhooks = receiver.seen.length;
    const figures = { kills: server.kills, events: stored.length, deliveries: (await storedDeliveries()).length, mails: mail.mails.length };
    const repeated = { webhooks: webhooks - new Set(receiver.seen.map(({ id }) => id)).size, mails: copies };
    process.stderr.write(`${JSON.stringify({ ...figures, webhooks, repeated })}\n`);
  },
  testMsMax,
);

test("each break opens findings once for each site, and each repair resolves them once", async () => {
  const stored = await storedEvents();
  const typesOf = (host: string) => stored.flatMap(({ type, site }) => (site?.name === host ? [type] : [])).toSorted();
  expect(hosts.map(typesOf)).toEqual(hosts.map(() => ["finding.opened", "finding.resolved", "site.score_dropped"]));
  const ended = stored.flatMap((event) => (event.type === "scan.finished" ? [event.data.token] : []));
  expect(ended.toSorted()).toEqual(accepted.toSorted());
});

test("each event was delivered on each channel, and a webhook has one id", async () => {
  const stored = await storedEvents();
  const seqs = stored.map(({ seq }) => seq).toSorted((one, other) => one - other);
  const deliveries = await storedDeliveries();
  expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(["delivered"]));
  for (const id of Object.values(channels)) {
    const sent = (await ofChannel(id)).flatMap(({ eventSeqs }) => eventSeqs);
    expect(sent.toSorted((one, other) => one - other)).toEqual(seqs);
  }
  const bodies = Map.groupBy(receiver.seen, ({ id }) => id);
  expect([...bodies.keys()].toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
  const distinct = [...bodies.values()].map((copies) => [...new Set(copies.map(({ body }) => body))]);
  expect(new Set(distinct.map((copies) => copies.length))).toEqual(new Set([1]));
  const occurrences = distinct.flat().map((body) => {
    const { type, data } = JSON.parse(body);
    return `${type} ${data.site?.id} ${data.scan.token}`;
  });
  expect(new Set(occurrences).size).toBe(stored.length);
  expect(receiver.seen.length).toBeGreaterThan(stored.length);
});

test("each mail arrived under one Message-ID, with its events", async () => {
  const deliveries = await mailDeliveries();
  const copiesOf = Map.groupBy(mail.mails, ({ parsed }) => parsed.messageId ?? "");
  const idOf = ({ id }: Delivery) => `<dlv-${accountId}-${id}@assay.test>`;
  expect([...copiesOf.keys()].toSorted()).toEqual(deliveries.map(idOf).toSorted());
  const events = new Map((await storedEvents()).map((event) => [event.seq, event]));
  for (const delivery of deliveries) {
    const texts = new Set(copiesOf.get(idOf(delivery))?.map(({ parsed }) => parsed.text ?? ""));
    expect(texts.size).toBe(1);
    const [text = ""] = texts;
    for (const seq of delivery.eventSeqs) {
      const event = events.get(seq);
      expect(text).toContain(
        event?.site === null ? `https://assay.test/scans/${event.token}` : `https://assay.test/sites/${event?.site.id}`,
      );
    }
  }
});
