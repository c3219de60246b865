/** Table of every page in every state, and how to reach it; read by tests and screenshots. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noteBackup } from "../../../src/backup/backup-folder.ts";
import { codeAt } from "../../support/account-fixture.ts";
import { pluginSource } from "../../support/plugin-source.ts";
import { channelPlaces } from "./channel-places.ts";
import { submit } from "./forms.ts";
import { memberPlaces } from "./member-places.ts";
import { at, longWord, type Place, sent } from "./place.ts";
import { type Fixtures, passwordOfAll, type TestServers } from "./servers.ts";
import { sitePlaces } from "./site-places.ts";
import type { OpenedPage, Visitor } from "./visitors.ts";

const starting: readonly Place[] = [
  { name: "home", go: at("/") },
  { name: "home-signed-in", who: "agency", go: at("/") },
  { name: "home-without-hosts", who: "free", go: at("/") },
  { name: "home-not-an-address", status: 400, go: sent("/", { url: `https://${longWord} nowhere` }) },
  { name: "home-private-address", status: 400, go: sent("/", { url: "http://10.0.0.1/" }) },
  { name: "home-secret-in-address", go: sent("/", { url: `https://example.org/?token=${longWord}` }) },
  { name: "home-unknown-language", go: at("/?locale=fr-fr") },
  { name: "home-fresh", on: "fresh", go: at("/") },
];

const scans: readonly Place[] = [
  { name: "scan-queued", refreshes: true, go: at(({ scans }) => `/scans/${scans.queued}`) },
  { name: "scan-queued-own", who: "agency", refreshes: true, go: at(({ scans }) => `/scans/${scans.queued}`) },
  { name: "scan-running", refreshes: true, go: at((_known, { running }) => `/scans/${running}`) },
  { name: "scan-without-worker", refreshes: true, go: at(({ scans }) => `/scans/${scans.remote}`) },
  { name: "scan-failed", go: at(({ scans }) => `/scans/${scans.failed}`) },
  { name: "scan-unknown", status: 404, go: at("/scans/0000000000000000000000") },
  { name: "report-bare", go: at(({ scans }) => `/scans/${scans.bare}`) },
  { name: "report-shop", go: at(({ scans }) => `/scans/${scans.shop}`) },
  { name: "report-lines", go: at(({ scans }) => `/scans/${scans.shop}?server=apache#all-lines`) },
  { name: "report-sound", go: at(({ scans }) => `/scans/${scans.sound}`) },
  { name: "report-plain", go: at(({ scans }) => `/scans/${scans.plain}`) },
  { name: "report-old", go: at(({ scans }) => `/scans/${scans.old}`) },
  { name: "report-silent-stale", go: at(({ scans }) => `/scans/${scans.silent}`) },
  { name: "report-filtered", go: at(({ scans }) => `/scans/${scans.silent}?state=violated&area=headers`) },
  { name: "report-filtered-to-nothing", go: at(({ scans }) => `/scans/${scans.sound}?state=violated`) },
  { name: "sample", go: at("/sample") },
  { name: "sample-filtered", go: at("/sample?state=violated&severity=low") },
  { name: "compare", go: at(({ scans }) => `/scans/${scans.bare}/compare?with=previous`) },
  { name: "compare-other-host", go: at(({ scans }) => `/scans/${scans.plain}/compare?with=${scans.sound}`) },
  { name: "compare-nothing-before", go: at(({ scans }) => `/scans/${scans.sound}/compare?with=previous`) },
  { name: "compare-other-location", status: 409, go: at(({ scans }) => `/scans/${scans.bare}/compare?with=${scans.elsewhere}`) },
  { name: "compare-not-finished", status: 409, go: at(({ scans }) => `/scans/${scans.queued}/compare?with=previous`) },
  { name: "download-not-finished", status: 409, go: at(({ scans }) => `/scans/${scans.queued}.json`) },
  { name: "download-nothing-to-tell", status: 409, go: at(({ scans }) => `/scans/${scans.failed}.sarif`) },
  { name: "list", go: at("/scans") },
  { name: "list-of-host", go: at("/scans?host=example.org") },
  { name: "list-by-band", go: at("/scans?band=poor") },
  { name: "list-by-location", go: at("/scans?location=customer-network-of-example-ltd") },
  { name: "list-no-match", go: at(`/scans?host=${longWord.toLowerCase()}.example`) },
  { name: "list-empty", on: "fresh", go: at("/scans") },
  { name: "host", go: at("/hosts/assay-bare-site.org") },
  { name: "host-many-addresses", go: at("/hosts/history.example") },
  { name: "host-one-address", go: at(`/hosts/history.example?address=${encodeURIComponent("https://history.example/shop/cart?step=2")}`) },
  { name: "host-unknown-address", status: 404, go: at("/hosts/history.example?address=nothing") },
  { name: "host-by-location", go: at("/hosts/inside.example?location=customer-network-of-example-ltd") },
  { name: "host-one-scan", go: at("/hosts/listed-1.example.org") },
  { name: "host-unknown", status: 404, go: at("/hosts/nobody.example") },
];

const proofs: readonly Place[] = [
  { name: "proof-queued", refreshes: true, go: at(({ proofs }) => `/proofs/${proofs.queued}`) },
  { name: "proof-own-queued", who: "agency", refreshes: true, go: at(({ proofs }) => `/proofs/${proofs.ownQueued}`) },
  { name: "proof-works", who: "agency", go: at(({ proofs }) => `/proofs/${proofs.works}`) },
  { name: "proof-blocks", go: at(({ proofs }) => `/proofs/${proofs.blocks}`) },
  { name: "proof-failed", go: at(({ proofs }) => `/proofs/${proofs.failed}`) },
  { name: "proof-of-others", status: 404, go: at(({ proofs }) => `/proofs/${proofs.works}`) },
  {
    name: "proof-policy-refused",
    status: 400,
    go: sent(({ proofs }) => `/proofs/${proofs.blocks}`, { policy: `script-scr ${longWord}` }, "form:has(textarea)"),
  },
  { name: "own-proofs", who: "agency", go: at("/account/proofs") },
  { name: "own-proofs-none", who: "free", go: at("/account/proofs") },
];

const reading: readonly Place[] = [
  { name: "checks", go: at("/checks") },
  { name: "check-csp", go: at("/checks/content-security-policy") },
  { name: "check-hsts", go: at("/checks/hsts-preload-eligible") },
  { name: "check-spf", go: at("/checks/mail-spf") },
  { name: "check-unknown", status: 404, go: at("/checks/no-such-check") },
  { name: "plans", go: at("/plans") },
  { name: "imprint", go: at("/imprint") },
  { name: "privacy", go: at("/privacy") },
  { name: "about", go: at("/about") },
  { name: "migrate", go: at("/migrate") },
  { name: "api", go: at("/api") },
  { name: "not-found", status: 404, go: at(`/${longWord}`) },
];

const signingIn: readonly Place[] = [
  { name: "sign-in", go: at("/sign-in") },
  { name: "sign-in-refused", status: 403, go: sent("/sign-in", { email: "nobody@assay.test", password: longWord }) },
  { name: "sign-in-signed-out", go: at("/sign-in?done=signed-out") },
  { name: "sign-in-code", go: sent("/sign-in", { email: "careful@assay.test", password: passwordOfAll }) },
  { name: "sign-in-fresh", on: "fresh", go: at("/sign-in") },
  { name: "sign-up", go: at("/sign-up") },
  { name: "sign-up-refused", status: 400, go: sent("/sign-up", { email: longWord, password: "short" }) },
  { name: "sign-up-invited", go: at(({ links }) => `/sign-up?t=${links.invite}`) },
  { name: "sign-up-invitation-used", status: 410, go: at("/sign-up?t=used") },
  { name: "sign-up-closed", on: "fresh", status: 403, go: at("/sign-up") },
  { name: "reset", go: at(({ links }) => `/reset?t=${links.reset}`) },
  { name: "reset-refused", status: 400, go: sent(({ links }) => `/reset?t=${links.reset}`, { password: "short" }) },
  { name: "reset-used", status: 410, go: at("/reset") },
  { name: "setup", on: "fresh", go: at((_known, { setupLink }) => `/setup?t=${setupLink}`) },
  {
    name: "setup-refused",
    on: "fresh",
    status: 400,
    go: sent((_known, { setupLink }) => `/setup?t=${setupLink}`, { email: longWord, password: "short" }),
  },
  { name: "setup-link-invalid", on: "fresh", status: 410, go: at("/setup?t=invalid") },
  { name: "setup-done", status: 410, go: at("/setup") },
  { name: "sign-out", who: "agency", go: at("/sign-out") },
  { name: "sign-out-guest", go: at("/sign-out") },
];

const formOf = (deed: string) => `form:has([name=do][value=${deed}])`;

// Each visit resubmits a rejected form, and failures are counted, so every state has a separate account.
const account: readonly Place[] = [
  { name: "account", who: "agency", go: at("/account") },
  { name: "account-changed", who: "agency", go: at("/account?done=preferences") },
  {
    name: "account-email-refused",
    who: "free",
    status: 403,
    go: sent("/account", { email: longWord, password: "wrong" }, formOf("email")),
  },
  {
    name: "account-password-refused",
    who: "agency",
    status: 403,
    go: sent("/account", { password: "wrong", "new-password": longWord }, formOf("password")),
  },
  { name: "second-factor-off", who: "free", go: at("/account/second-factor") },
  { name: "second-factor-offered", who: "agency", go: sent("/account/second-factor", {}, formOf("offer")) },
  { name: "second-factor-wrong-code", who: "agency", status: 403, go: wrongCode },
  { name: "second-factor-on", who: "careful", go: at("/account/second-factor") },
  {
    name: "second-factor-off-refused",
    who: "careful",
    status: 403,
    go: sent("/account/second-factor", { password: "wrong" }, formOf("off")),
  },
  { name: "recovery-codes", go: recoveryCodes },
  { name: "tokens", who: "agency", go: at("/account/tokens") },
  { name: "tokens-revoked", who: "agency", go: at("/account/tokens?done=revoked") },
  { name: "tokens-without-name", who: "agency", status: 400, go: sent("/account/tokens", { name: " " }, formOf("create")) },
  { name: "token-made", who: "agency", go: sent("/account/tokens", { name: longWord }, formOf("create")) },
  { name: "tokens-on-free-plan", who: "free", go: at("/account/tokens") },
  { name: "own-scans", who: "agency", go: at("/account/scans") },
  { name: "own-scans-cancelled", who: "agency", go: at("/account/scans?done=cancelled") },
  { name: "own-scans-none", who: "free", go: at("/account/scans") },
];

/** A separate account: enrolling ends its other sessions. */
async function recoveryCodes(visitor: Visitor, fixtures: Fixtures, servers: TestServers): Promise<OpenedPage> {
  const email = `${crypto.randomUUID()}@assay.test`;
  await sent("/sign-up", { email, password: passwordOfAll })(visitor, fixtures, servers);
  await sent("/account/second-factor", {}, formOf("offer"))(visitor, fixtures, servers);
  const secret = await visitor.page.$eval("#secret", (element) => element.textContent ?? "");
  const fields = { code: codeAt(secret.replaceAll(/\s/g, ""), new Date()), password: passwordOfAll };
  return submit(visitor.page, fields, { form: formOf("confirm") });
}

async function wrongCode(visitor: Visitor, fixtures: Fixtures, servers: TestServers): Promise<OpenedPage> {
  const fields = { code: "000000", password: passwordOfAll };
  await at("/account/second-factor")(visitor, fixtures, servers);
  // May be offered from an earlier visit.
  if ((await visitor.page.$(formOf("confirm"))) === null) await submit(visitor.page, {}, { form: formOf("offer") });
  return submit(visitor.page, fields, { form: formOf("confirm") });
}

const refusals: readonly Place[] = [
  { name: "guest-in-a-hurry", on: "strict", status: 429, go: inAHurry },
  { name: "queue-full", on: "strict", status: 503, who: "strict", go: sent("/", { url: "https://example.org/" }) },
  { name: "form-not-ours", status: 403, go: withoutSender },
  { name: "form-too-long", status: 413, go: sent("/", { url: `https://example.org/${"w".repeat(20_000)}` }) },
];

async function inAHurry(visitor: Visitor, fixtures: Fixtures, servers: TestServers): Promise<OpenedPage> {
  await sent("/", { url: "https://example.org/" })(visitor, fixtures, servers);
  return sent("/", { url: "https://example.org/again" })(visitor, fixtures, servers);
}

/** The browser sends `Origin: null` from a page with this policy. */
async function withoutSender(visitor: Visitor): Promise<OpenedPage> {
  await visitor.open("/");
  await visitor.page.$eval("head", (head) => {
    const policy = document.createElement("meta");
    policy.name = "referrer";
    policy.content = "no-referrer";
    head.append(policy);
  });
  return submit(visitor.page, { url: "https://example.org/" });
}

const administration: readonly Place[] = [
  { name: "admin", who: "admin", go: at("/admin") },
  { name: "admin-users", who: "admin", go: at("/admin/users") },
  { name: "admin-users-no-match", who: "admin", go: at(`/admin/users?q=${longWord}`) },
  {
    name: "admin-invitation-refused",
    who: "admin",
    status: 400,
    go: sent("/admin/users", { email: longWord }, "form[action='/admin/invitations']"),
  },
  { name: "admin-invitation", who: "admin", go: sent("/admin/users", {}, "form[action='/admin/invitations']") },
  { name: "admin-users-changed", who: "admin", go: at("/admin/users?done=disabled") },
  { name: "admin-doctor-looking", who: "admin", refreshes: true, go: doctorRunning },
  { name: "admin-doctor-done", who: "admin", go: doctorDone },
  { name: "admin-workers", who: "admin", go: at("/admin/workers") },
  { name: "admin-workers-drained", who: "admin", go: at("/admin/workers?done=drained") },
  { name: "admin-settings", who: "admin", go: at("/admin/settings") },
  { name: "admin-audit", who: "admin", go: at("/admin/audit") },
  { name: "admin-audit-nobody", who: "admin", go: at(`/admin/audit?by=${longWord}`) },
  { name: "admin-checks", who: "admin", go: at("/admin/checks") },
  {
    name: "admin-checks-reloaded",
    who: "admin",
    go: reloaded({ "acme-build.ts": pluginSource("acme-build", { label: longWord.slice(0, 50) }) }),
  },
  { name: "check-plugin", go: at("/checks/acme-build") },
  { name: "admin-checks-refused", who: "admin", go: reloaded({ "acme-broken.ts": `throw new Error("${longWord}");` }) },
  { name: "admin-reload-refused", who: "admin", go: at("/admin") },
  { name: "admin-backup-failed", who: "admin", go: backupFailed },
  { name: "admin-refused", who: "free", status: 403, go: at("/admin") },
];

/** Page after a failed backup, as `assay backup create` notes it. */
function backupFailed(visitor: Visitor, _fixtures: Fixtures, { busy }: TestServers): Promise<OpenedPage> {
  const archive = `/mnt/${longWord}/assay-20261122T033000.000Z.tar.zst`;
  noteBackup(busy.dataDir, {
    lastSuccess: { at: "2026-11-22T03:30:07.000Z", archive, bytes: 123_456_789 },
    lastFailure: {
      at: new Date().toISOString(),
      because: `the disk of /mnt/${longWord} has no room: 3.1 MB are free, and 260.4 MB are needed`,
    },
  });
  return visitor.open("/admin");
}

/** Submits the form of the reload, with files in the folder of checks. */
function reloaded(files: Readonly<Record<string, string>>): Place["go"] {
  return async (visitor, _fixtures, { busy }) => {
    const folder = join(busy.dataDir, "checks");
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
    await visitor.open("/admin/checks");
    return submit(visitor.page, {}, { form: "form[action='/admin/checks/reload']" });
  };
}

const doctorForm = "form[action='/admin/doctor']";

/** Starts the system checks unless a previous run is active, in which case there is no form. */
async function doctorRunning(visitor: Visitor): Promise<OpenedPage> {
  const opened = await visitor.open("/admin");
  return (await visitor.page.$(doctorForm)) === null ? opened : submit(visitor.page, {}, { form: doctorForm, unchecked: true });
}

/** Waits for the end of the system checks. */
async function doctorDone(visitor: Visitor): Promise<OpenedPage> {
  for (;;) {
    const opened = await visitor.open("/admin");
    if (opened.html.includes('action="/admin/doctor"')) return opened;
    await Bun.sleep(200);
  }
}

export const places: readonly Place[] = [
  ...starting,
  ...scans,
  ...proofs,
  ...reading,
  ...signingIn,
  ...account,
  ...memberPlaces,
  ...sitePlaces,
  ...channelPlaces,
  ...administration,
  ...refusals,
];
