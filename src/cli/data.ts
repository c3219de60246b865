/** `assay data`: compaction of the store, and export and deletion of what is stored about an account or a host. */

import { shownTarget } from "../channels/chat-services.ts";
import { refuseCutStore } from "../doctor/store-examination.ts";
import { screenshotType } from "../evidence/scan.ts";
import { urlHost } from "../parse/address.ts";
import { hostOf } from "../parse/site.ts";
import type { Account } from "../store/accounts.ts";
import { compactStore } from "../store/compact-store.ts";
import { addDeletion } from "../store/deletions-file.ts";
import type { HostScope } from "../store/erasure.ts";
import type { Page } from "../store/page.ts";
import type { ProofRecord } from "../store/proofs.ts";
import type { ScanRecord } from "../store/scans.ts";
import type { Site } from "../store/sites.ts";
import { openStore, type Store } from "../store/store.ts";
import { command, commandGroup, type Values } from "./command.ts";
import { usageError } from "./exit.ts";
import { firstLineOfInput } from "./input.ts";
import { configOf } from "./settings.ts";
import { accountOf, cliActor, storeCommand } from "./store.ts";
import { currentTerminal, jsonLine, note, print, printWhileOpen, stripControls } from "./terminal.ts";

const compact = command({
  name: "compact",
  summary: "Make the file of the store as small as its content; the server must be stopped.",
  options: { "--json": "print the bytes before and after as JSON" },
  help: `
The file of the store never shrinks by itself: what is deleted becomes free pages, which new scans fill. This command writes all rows to a new
file, compares every table with the old one, and then puts the new file in its place. It needs the server stopped, and room for the new file.
The old content, also of what was deleted, is gone from the file afterwards.

Exit codes: 0 done, 6 a server or another command uses the store, it is damaged, or the disk is full; nothing is changed then.`,
  run: async ({ json }, parsed) => {
    const { data } = configOf(parsed);
    await refuseCutStore(data);
    const { bytesBefore, bytesAfter } = await compactStore(data);
    const store = openStore(data);
    const details = { bytesBefore, bytesAfter };
    await store.audit.note({ actor: cliActor(), action: "data.compacted", subject: null, details, now: new Date() });
    await store.close();
    if (json === true) print(jsonLine(details));
    else note(`the store had ${bytesBefore} bytes, and has ${bytesAfter} now`);
  },
});

const subjectOptions = {
  "--account <email>": "an account: its scans, sites, channels, tokens and sessions",
  "--host <host>": "a host: all scans and watched sites of it, by whomever",
  "--with-subdomains": "with --host: also the hosts below it",
} as const;

const deleteData = storeCommand({
  name: "delete",
  summary: "Delete all that is stored about an account or a host, for good.",
  options: { "--yes": "do not ask", ...subjectOptions },
  help: `
Deleted are scans with results, evidence and pictures, and watched sites with their history and events. A site that has moved from the host to
another address stays, without the history and the events of the time before. Of an account also its channels, rules,
deliveries, members, brand, tokens, sessions, links and the account itself. There is no way back.
The audit log notes it without the name, and the file "deletions" in the data directory lets a restored backup lose the same data again: keep it.
Backups made before still have the data, and so have free pages of the store until new scans fill them, or "assay data compact" drops them.

Examples:
  assay data export --account you@example.com > you.jsonl
  assay data delete --account you@example.com
  assay data delete --host example.org --with-subdomains --yes

Exit codes: 0 deleted, 2 usage, no such account, or not confirmed, 6 data directory.`,
  run: async ({ yes, ...options }, store, config) => {
    const subject = dataSubject(store, options);
    const scans = scansOfSubject(store, subject).length;
    if (yes !== true) await confirm(subject, scans);
    const now = new Date();
    const { erasure, accounts } = store;
    const deletion = subject.account === null ? erasure.hostDeletion(subject.host, now) : erasure.accountDeletion(subject.account, now);
    // First: what is interrupted goes on at the next start.
    addDeletion(config.data, deletion);
    const deleted = await erasure.carryOut(deletion, cliActor(), now);
    note(`deleted: ${deleted} scans${subject.account === null ? "" : ` and the account ${subject.account.email}`}`);
    if (subject.account?.admin === true && !accounts.list().some((one) => one.admin && !one.disabled))
      note("no administrator is left: assay user create EMAIL --admin makes one");
  },
});

/** @throws CliError if the name is not typed. */
async function confirm({ account, host }: DataSubject, scans: number): Promise<void> {
  const name = account?.email ?? host?.host ?? "";
  if (!currentTerminal().isInteractive())
    throw usageError(`this would delete ${scans} scans of ${stripControls(name)} for good; --yes confirms it`);
  note(`This deletes ${scans} scans of ${stripControls(name)} for good. Type the name to confirm:`);
  if ((await firstLineOfInput()).trim() !== name) throw usageError("not confirmed; nothing was deleted");
}

const exportData = storeCommand({
  name: "export",
  summary: "Print all that is stored about an account or a host, as JSON lines.",
  options: subjectOptions,
  help: `
One JSON object a line, each with its "kind": account, token, session, site, channel, rule, event, delivery, member, invitation, brand,
metrics-token, proof with result and pictures, and scan with result, evidence and picture (Base64). Password hashes, secrets of second factors and
webhooks, hashes of tokens and keys of links are left out; the URL of a webhook is complete, that of a chat service is left out. Lines of a
host do not say which account scanned or watches it. Of a site that has moved from the host to another address they have events and "history", one line for each measured
run.

Example:
  assay data export --account you@example.com > you.jsonl`,
  run: async (options, store) => {
    const subject = dataSubject(store, options);
    const scans = scansOfSubject(store, subject);
    printWhileOpen(() => {
      for (const line of linesBesideScans(store, subject, scans)) print(jsonLine(line));
      for (const scan of scans) print(jsonLine(lineOfScan(store, subject, scan)));
      for (const proof of proofsOfSubject(store, subject)) print(jsonLine(lineOfProof(store, subject, proof)));
    });
    const named = subject.account === null ? null : ({ kind: "account", id: subject.account.id } as const);
    await store.audit.note({ actor: cliActor(), action: "data.exported", subject: named, now: new Date() });
  },
});

export const dataCommand = commandGroup({
  name: "data",
  summary: "Make the store smaller, and export or delete what is stored about an account or a host.",
  help: `
Examples:
  systemctl stop assay && assay data compact       make the file of the store as small as its content
  assay data export --account you@example.com      everything about an account, as JSON lines
  assay data delete --account you@example.com      delete it, also while the server runs`,
  commands: [compact, exportData, deleteData],
});

function* linesBesideScans(store: Store, { account, host }: DataSubject, scans: readonly ScanRecord[]): Generator<object, void> {
  if (account === null) return yield* siteLinesOfHost(store, host, new Set(scans.map(({ token }) => token)));
  yield* linesOfAccount(store, account);
  yield* siteLinesOfAccount(store, account);
}

function* linesOfAccount(store: Store, account: Account): Generator<object, void> {
  const { passwordHash, totp, recoveryCodeHashes, oidc = null } = store.credentials.get(account.id);
  const secondFactor = totp === null ? null : { confirmedAt: totp.confirmedAt, recoveryCodesLeft: recoveryCodeHashes.length };
  yield { kind: "account", ...account, hasPassword: passwordHash !== null, secondFactor, oidc };
  for (const token of store.apiTokens.listOfAccount(account.id)) yield { kind: "token", ...token };
  for (const session of store.sessions.listOfAccount(account.id, new Date())) yield { kind: "session", ...session };
}

function lineOfScan(store: Store, { account }: DataSubject, { accountId, queueKey: _place, ...scan }: ScanRecord): object {
  const gathered = store.evidence.find(scan.token);
  return {
    kind: "scan",
    ...scan,
    ...(account === null ? {} : { accountId }),
    result: store.results.find(scan.token) ?? null,
    evidence: gathered?.evidence ?? null,
    timings: gathered?.timings ?? null,
    screenshot: pictureOf(store.screenshots.find(scan.token)),
  };
}

function lineOfProof(store: Store, { account }: DataSubject, { accountId, queueKey: _place, ...proof }: ProofRecord): object {
  return {
    kind: "proof",
    ...proof,
    ...(account === null ? {} : { accountId }),
    result: store.proofs.result(proof.token) ?? null,
    pictures: {
      before: pictureOf(store.proofs.picture(proof.token, "before")),
      after: pictureOf(store.proofs.picture(proof.token, "after")),
    },
  };
}

function pictureOf(bytes: Uint8Array | undefined) {
  return bytes === undefined ? null : { type: screenshotType, base64: Buffer.from(bytes).toString("base64") };
}

type DataSubject = { readonly account: Account; readonly host: null } | { readonly account: null; readonly host: HostScope };

/** @throws CliError */
function dataSubject(store: Store, { account, host, withSubdomains }: Values<typeof subjectOptions>): DataSubject {
  if ((account === undefined) === (host === undefined))
    throw usageError("name either an account by --account EMAIL or a host by --host HOST");
  if (account !== undefined && withSubdomains === true) throw usageError("--with-subdomains needs --host");
  if (account !== undefined) return { account: accountOf(store, account), host: null };
  return { account: null, host: { host: hostNamed(host ?? ""), withSubdomains: withSubdomains === true } };
}

/** Host in the form that scans have. @throws CliError if the text is not a host */
function hostNamed(typed: string): string {
  const host = hostOf(`https://${urlHost(typed)}/`);
  if (host === null || host.startsWith(".") || /[/?#@\\\s]/.test(typed))
    throw usageError(`"${stripControls(typed)}" is no host; it is written as in www.example.org, without https:// and path`);
  return host;
}

function scansOfSubject(store: Store, { account, host }: DataSubject): readonly ScanRecord[] {
  if (account === null) return store.erasure.scansOfHost(host);
  return [...pagesOf((page) => store.scans.listOfAccount(account.id, page))].toReversed();
}

function proofsOfSubject(store: Store, { account, host }: DataSubject): readonly ProofRecord[] {
  if (account === null) return store.erasure.proofsOfHost(host);
  return [...pagesOf((page) => store.proofs.listOfAccount(account.id, page))].toReversed();
}

/** Sites, channels, rules, events, deliveries, members, invitations and brand. Secrets and keys of links are left out. */
function* siteLinesOfAccount(store: Store, { id: accountId, email }: Pick<Account, "id" | "email">): Generator<object, void> {
  for (const site of store.sites.list(accountId)) yield { kind: "site", ...site, ...knownOf(store, site) };
  for (const stored of store.channels.list(accountId)) {
    const { kind: channelKind, secrets, unsubscribeKey: _key, confirmation, ...channel } = stored;
    const counted = { secretCount: secrets.length, confirmationExpiresAt: confirmation?.expiresAt ?? null };
    yield { kind: "channel", channelKind, ...channel, target: shownTarget(stored), ...counted };
  }
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
function* siteLinesOfHost(store: Store, host: HostScope, tokens: ReadonlySet<string>): Generator<object, void> {
  const sites = store.erasure.sitesOfHost(host);
  for (const site of sites) {
    const { url, pages, location, createdAt, lastRunAt, failingSince, reading, trend } = site;
    const known = knownOf(store, site);
    const history = known.history.filter(({ token }) => tokens.has(token));
    yield { kind: "site", url, pages, location, createdAt, lastRunAt, failingSince, reading, trend, ...known, history };
  }
  for (const { type, at, token, data } of store.erasure.eventsOfHost(host, tokens)) yield { kind: "event", type, at, token, data };
  const ids = new Set(sites.map(({ id }) => id));
  // Scans of sites that have another address now.
  for (const { siteId, entry } of store.erasure.historyOfScans(tokens)) if (!ids.has(siteId)) yield { kind: "history", ...entry };
}

function knownOf({ siteRuns }: Store, { id }: Site) {
  return { run: siteRuns.find(id) ?? null, state: siteRuns.state(id), history: siteRuns.history(id) };
}

const rowsAtOnce = 500;

/** Newest first. */
function* pagesOf<T>(read: (page: { readonly limit: number; readonly cursor: number | null }) => Page<T>): Generator<T, void> {
  let cursor: number | null = null;
  do {
    const page: Page<T> = read({ limit: rowsAtOnce, cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
