/** `assay data export` and `assay data delete`: what is printed, what is asked, and beside a running server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../../src/store/store.ts";
import { pixelJpeg, storeSite } from "../../support/finished-scans.ts";
import { addMovedSite, measure } from "../../support/moved-site.ts";
import { type PagesUnderTest, startPages } from "../../support/pages.ts";
import { runInProcess } from "../../support/program.ts";
import { proofBody, storeProof } from "../../support/proof.ts";
import { addSite } from "../../support/watched-sites.ts";

let folder: string;
let data: string;
const me = "me@assay.test";
const assay = (...args: readonly string[]) => runInProcess(["data", ...args, "--data", data]);
let pages: PagesUnderTest;
let token: string;
let foreign: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-data-cli-"));
  data = join(folder, "data");
  await openStore(data, { noSync: true }).close();
  pages = await startPages({ dataDir: data });
  await pages.store.accounts.create({ email: me, passwordHash: "$argon2id$secret", now: new Date() });
  await pages.store.accounts.create({ email: "you@assay.test", now: new Date() });
  await pages.store.apiTokens.create({ accountId: 1, name: "ci", now: new Date() });
  token = (await storeSite(pages.store, "sound", { at: new Date(), accountId: 1, screenshot: pixelJpeg })).token;
  foreign = (await storeSite(pages.store, "bare", { at: new Date(), accountId: 2 })).token;
});
afterEach(async () => {
  await pages.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("assay data export", () => {
  test("prints all of an account, one object a line, without secrets", async () => {
    const { code, stdout } = await assay("export", "--account", me);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, lines.map(({ kind }) => kind)]).toEqual([0, ["account", "token", "scan"]]);
    expect(lines[0]).toMatchObject({ email: me, hasPassword: true, secondFactor: null });
    expect(lines[2]).toMatchObject({ token, accountId: 1, status: "finished", result: { measured: true }, evidence: { subject: {} } });
    expect(Buffer.from(lines[2].screenshot.base64, "base64").equals(pixelJpeg)).toBe(true);
    expect(stdout).not.toContain("argon2id");
    expect([...pages.store.audit.since(new Date(0))].at(-1)).toMatchObject({
      action: "data.exported",
      subject: { kind: "account", id: 1 },
    });
  });

  test("prints what an account watches and whom it notifies, and no secret of it", async () => {
    const { store } = pages;
    const owner = await store.accounts.create({ email: "owner@assay.test", now: new Date() });
    if (typeof owner === "string") throw new Error(owner);
    const [accountId, now] = [owner.id, new Date()];
    const site = await addSite(store, { accountId, url: "https://watched.test/", name: "Name of a client", now });
    const given = { accountId, name: "x", verified: true, now };
    const secrets = ["whsec_secret"];
    const hook = await store.channels.add({ ...given, kind: "webhook", target: "https://hook.test/in/s3cret", secrets });
    const mail = await store.channels.add({ ...given, kind: "mail", target: "team@assay.test", secrets: [] });
    const chat = await store.channels.add({ ...given, kind: "slack", target: "https://hooks.slack.com/services/T0/B0/t0ken", secrets: [] });
    if (hook === "full" || mail === "full" || chat === "full") throw new Error("full");
    await store.rules.add({
      accountId,
      scope: { kind: "all" },
      events: ["site.recovered"],
      severityMin: "info",
      channelIds: [hook.id],
      now,
    });
    const recovered = { type: "site.recovered", token: null, data: { since: now.toISOString() } } as const;
    await store.siteRuns.noteState(site, (_site, state) => ({ state, events: [recovered] }), now);
    await store.members.invite({ ownerId: accountId, email: "member@assay.test", role: "viewer" }, now);
    const other = await store.accounts.create({ email: "inviter@assay.test", now });
    if (typeof other === "string") throw new Error(other);
    await store.members.invite({ ownerId: other.id, email: "Owner@assay.test", role: "viewer" }, now);
    await store.brands.change(accountId, () => ({ name: "Brand", logoPng: null, accent: null, footer: null }));
    const metricsToken = await store.metricsTokens.issue(accountId);
    const { stdout } = await assay("export", "--account", "owner@assay.test");
    const kinds = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).kind);
    expect(kinds).toEqual("account site channel channel channel rule event delivery invitation invitation brand metrics-token".split(" "));
    expect(stdout).toContain("https://hooks.slack.com/...");
    for (const secret of ["whsec_secret", "t0ken", mail.unsubscribeKey ?? "", metricsToken]) expect(stdout).not.toContain(secret);
    // A part of the person's own data, as docs/operate.md says.
    expect(stdout).toContain("https://hook.test/in/s3cret");
    const ofHost = (await assay("export", "--host", "watched.test")).stdout;
    expect(
      ofHost
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).kind),
    ).toEqual(["site", "event"]);
    expect(ofHost).not.toMatch(/accountId|Name of a client/);
    await store.sites.remove(accountId, [site.id], accountId);
  });

  test("prints the proofs of an account, and those of a host without their accounts", async () => {
    const own = await storeProof(pages.store, { accountId: 1, url: "https://proven.test/" });
    await storeProof(pages.store, { accountId: 2, url: "https://proven.test/" });
    const proofsIn = ({ stdout }: { readonly stdout: string }) =>
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter(({ kind }) => kind === "proof");
    const pictures = { before: null, after: null };
    const ofAccount = proofsIn(await assay("export", "--account", me));
    expect(ofAccount).toEqual([
      expect.objectContaining({ token: own, accountId: 1, plan: expect.anything(), result: proofBody("https://proven.test/"), pictures }),
    ]);
    const ofHost = proofsIn(await assay("export", "--host", "proven.test"));
    expect(ofHost.map(({ url, accountId }) => [url, accountId])).toEqual(Array(2).fill(["https://proven.test/", undefined]));
  });

  test("prints what sites keep of a host that they have left", async () => {
    const { store } = pages;
    const owner = await store.accounts.create({ email: "mover@assay.test", now: new Date() });
    if (typeof owner === "string") throw new Error(owner);
    const [from, to] = ["https://old.example/", "https://new.example/"];
    const now = new Date();
    const { id } = await addMovedSite(store, { accountId: owner.id, urls: [from, to], now });
    const left = (await assay("export", "--host", "old.example")).stdout;
    expect(left.match(/"kind":"[a-z]+"/g)).toEqual(
      "event event history history scan scan scan".split(" ").map((kind) => `"kind":"${kind}"`),
    );
    expect(left).not.toMatch(/accountId|Moved|new\.example/);
    expect((await assay("delete", "--host", "old.example", "--yes")).stderr).toBe("deleted: 3 scans\n");
    await measure(store, { accountId: owner.id, id, url: to, now: new Date(now.getTime() + 9) });
    expect((await assay("export", "--host", "old.example")).stdout).toBe("");
    const kept = (await assay("export", "--host", "new.example")).stdout.trimEnd().split("\n");
    expect(kept.map((line) => JSON.parse(line).kind)).toEqual(["site", "event", "scan"]);
    expect(JSON.parse(kept[0] ?? "").history).toHaveLength(1);
    await store.sites.remove(owner.id, [id], owner.id);
  });

  test("prints all of a host, without the accounts that scanned it", async () => {
    const host = new URL(pages.store.scans.findByToken(foreign)?.url ?? "").hostname;
    const { stdout } = await assay("export", "--host", host.toUpperCase());
    const [scan] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(scan).toMatchObject({ kind: "scan", token: foreign });
    expect(scan).not.toHaveProperty("accountId");
  });

  test.each([
    [["export"], "name either an account"],
    [["export", "--account", me, "--host", "a.test"], "name either an account"],
    [["export", "--account", "none@assay.test"], "there is no account"],
    [["export", "--account", me, "--with-subdomains"], "needs --host"],
    [["export", "--host", "https://a.test/"], "is no host"],
    [["delete", "--host", ""], "is no host"],
    [["delete", "--host", ".."], "is no host"],
    [["delete", "--host", "a.test/b"], "is no host"],
  ])("%s is refused", async (args, reason) => {
    const { code, stdout, stderr } = await assay(...args);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(reason)]);
  });
});

describe("assay data delete", () => {
  test("deletes nothing without --yes where nobody can be asked", async () => {
    const { code, stderr } = await assay("delete", "--account", me);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`delete 1 scans of ${me} for good; --yes confirms it`)]);
    expect(pages.store.accounts.findByEmail(me)).toBeDefined();
  });

  test("is seen by a server that runs: pages and scans are gone, and those of others stay", async () => {
    expect((await pages.visitor().get(`/scans/${token}`)).status).toBe(200);
    const { code, stderr } = await assay("delete", "--account", me, "--yes");
    expect([code, stderr]).toEqual([0, expect.stringContaining(`deleted: 1 scans and the account ${me}\nno administrator is left`)]);
    for (const path of [`/scans/${token}`, `/scans/${token}/screenshot`, `/scans/${token}.json`])
      expect([path, (await pages.visitor().get(path)).status]).toEqual([path, 404]);
    expect((await pages.visitor().get(`/scans/${foreign}`)).status).toBe(200);
    expect(await (await pages.visitor().get("/scans")).text()).not.toContain(token);
    expect((await assay("export", "--account", me)).code).toBe(2);
  });

  test("of a host can be repeated", async () => {
    const host = new URL(pages.store.scans.findByToken(foreign)?.url ?? "").hostname;
    expect((await assay("delete", "--host", host, "--yes")).stderr).toBe("deleted: 1 scans\n");
    expect((await assay("delete", "--host", host, "--yes")).stderr).toBe("deleted: 0 scans\n");
    expect((await pages.visitor().get(`/scans/${foreign}`)).status).toBe(404);
  });
});
