/** `assay data export`: all that is stored about an account or a host, as JSON lines. */
import { Command } from "commander";
import { screenshotType } from "../../evidence/scan.ts";
import type { Account } from "../../store/accounts.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { Store } from "../../store/store.ts";
import { cliActor } from "../actor.ts";
import { jsonLine, print, printWhileOpen } from "../terminal.ts";
import { withStore } from "../user.ts";
import { siteLinesOfAccount, siteLinesOfHost } from "./site-lines.ts";
import { addSubjectOptions, type DataSubject, dataSubject, type SubjectOptions, scansOfSubject } from "./subject.ts";

const help = `
One JSON object a line, each with its "kind": account, token, session, site, channel, rule, event, delivery, member, invitation, brand,
metrics-token, and scan with result, evidence and picture (Base64). Password hashes, secrets of second factors and webhooks, hashes of tokens
and keys of links are left out; the URL of a webhook is complete. Lines of a host do not say which account scanned or watches it. Of a site that
has moved from the host to another address they have events and "history", one line for each measured run.

Example:
  assay data export --account you@example.com > you.jsonl`;

export function exportCommand(): Command {
  return addSubjectOptions(new Command("export").description("Print all that is stored about an account or a host, as JSON lines."))
    .addHelpText("after", help)
    .action((options: SubjectOptions, command: Command) =>
      withStore(command, async (store) => {
        const subject = dataSubject(store, options);
        const scans = scansOfSubject(store, subject);
        printWhileOpen(() => {
          for (const line of linesBesideScans(store, subject, scans)) print(jsonLine(line));
          for (const scan of scans) print(jsonLine(lineOfScan(store, subject, scan)));
        });
        const named = subject.account === null ? null : ({ kind: "account", id: subject.account.id } as const);
        await store.audit.note({ actor: cliActor(), action: "data.exported", subject: named, now: new Date() });
      }),
    );
}

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
  const picture = store.screenshots.find(scan.token);
  return {
    kind: "scan",
    ...scan,
    ...(account === null ? {} : { accountId }),
    result: store.results.find(scan.token) ?? null,
    evidence: gathered?.evidence ?? null,
    timings: gathered?.timings ?? null,
    screenshot: picture === undefined ? null : { type: screenshotType, base64: Buffer.from(picture).toString("base64") },
  };
}
