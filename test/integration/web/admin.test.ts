/** Administration pages: access, content and forms. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import { workerFiles } from "../../../src/app/placement.ts";
import { createCatalogHolder } from "../../../src/catalog/catalog-holder.ts";
import { loadCatalogSafely } from "../../../src/catalog/load.ts";
import { createDoctorRun, type DoctorFinding } from "../../../src/doctor/background-run.ts";
import type { Account } from "../../../src/store/accounts.ts";
import { noActivity } from "../../../src/store/activity.ts";
import type { Operator } from "../../../src/web/admin/operator.ts";
import { builtInCatalog, type PagesUnderTest, quietOperator, startPages, type Visitor } from "../../support/pages.ts";
import { pluginSource } from "../../support/plugin-source.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const sad: { -readonly [K in keyof Operator]: Operator[K] } = { ...quietOperator };
let finish: (findings: readonly DoctorFinding[]) => void;
let pages: PagesUnderTest;
let admin: Account;
let user: Account;
let visitor: Visitor;

beforeAll(async () => {
  pages = await startPages({ operator: sad, config: { "accounts.signup": "invite" } });
  admin = await accountIn(pages, "first@assay.test");
  user = await accountIn(pages, "second@assay.test");
});
beforeEach(async () => {
  const examination = createDoctorRun(() => new Promise((resolve) => (finish = resolve)), { now: () => new Date(), onFailure: () => {} });
  Object.assign(sad, { ...quietOperator, examination });
  visitor = await signedIn(pages, admin);
});
afterAll(() => pages.stop());

async function read(path: string, by = visitor): Promise<string> {
  const answer = await by.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

const places = ["/admin", "/admin/users", "/admin/settings", "/admin/checks", "/admin/audit"];

describe("access to the administration pages", () => {
  test.each(places)("%s sends guests to sign in and refuses other accounts", async (path) => {
    const sent = await pages.visitor().get(path);
    expect([sent.status, sent.headers.get("location")]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
    expect((await (await signedIn(pages, user)).get(path)).status).toBe(403);
    expect((await visitor.get(path)).status).toBe(200);
  });

  test("checks access before it reads a form", async () => {
    const other = await signedIn(pages, user);
    for (const path of ["/admin/doctor", `/admin/users/${admin.id}/plan`, `/admin/users/${admin.id}/state`, "/admin/invitations"]) {
      const body = new URLSearchParams({ plan: "free", state: "disabled" });
      const cookie = [...other.cookies].map((pair) => pair.join("=")).join("; ");
      const answers = [{}, { cookie }].map((headers) => fetch(`${pages.url}${path}`, { method: "POST", headers, body }));
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 403]);
    }
    expect(pages.store.accounts.findById(admin.id)).toMatchObject({ plan: "agency", disabled: false });
  });

  test("requires an Origin of ours", async () => {
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(`${pages.url}/admin/users/${user.id}/state`, {
      method: "POST",
      headers: { cookie, origin: "null" },
      body: new URLSearchParams({ state: "disabled" }),
    });
    expect([answer.status, pages.store.accounts.findById(user.id)?.disabled]).toEqual([403, false]);
  });
});

describe("/admin", () => {
  test("shows the backups, and warns when the last one failed or is old", async () => {
    const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const lastSuccess = { at: day(2), archive: "/backups/<a>.tar.zst", bytes: 12_345_678 };
    const lastFailure = { at: day(1), because: "the disk of /backups has no room <1 MB>" };
    expect(await read("/admin")).toContain("There is no backup yet");
    sad.backups = () => ({ lastSuccess, lastFailure: null, nextAt: null });
    const quiet = await read("/admin");
    for (const words of ["/backups/&lt;a>.tar.zst", "13 MB", "backup.schedule is off"]) expect(quiet).toContain(words);
    sad.backups = () => ({ lastSuccess, lastFailure, nextAt: new Date() });
    const failed = await read("/admin?locale=de-de");
    for (const words of ["Die letzte Sicherung ist fehlgeschlagen", "no room &lt;1 MB>", "N\u00e4chste Sicherung"])
      expect(failed).toContain(words);
    sad.backups = () => ({ lastSuccess: { ...lastSuccess, at: day(9) }, lastFailure: { ...lastFailure, at: day(10) }, nextAt: new Date() });
    expect(await read("/admin?locale=en-gb")).toContain("No backup has succeeded for more than a week");
    expect([quiet.includes("last backup failed"), quiet.includes("more than a week")]).toEqual([false, false]);
    sad.backups = quietOperator.backups;
  });

  test("shows a banner for each problem and no other", async () => {
    const html = await read("/admin");
    expect(html).toContain("public_url is not set");
    for (const words of ["X-Forwarded", "without its sandbox", "of the disk", "plain http"]) expect(html).not.toContain(words);

    sad.untrustedForwarder = () => "192.0.2.7";
    sad.unsandboxedBecause = () => "no <namespaces>";
    sad.diskSpace = () => ({ freeBytes: 5_000_000, totalBytes: 100_000_000 });
    const elsewhere = await startPages({ operator: sad, publicUrl: "https://assay.test" });
    const by = await signedIn(elsewhere, await accountIn(elsewhere, "first@assay.test"));
    const sadHtml = await read("/admin", by);
    expect(sadHtml).toContain("but public_url is https://assay.test");
    expect(sadHtml).toContain("A request from 192.0.2.7");
    expect(sadHtml).toContain('<q lang="en" translate="no">no &lt;namespaces></q>');
    expect(sadHtml).toContain("Only 5% of the disk with the data directory is free (5 MB)");
    Object.assign(sad, { ...quietOperator, examination: sad.examination });
    by.cookies.set("__Host-sid", by.cookies.get("sid") ?? "");
    expect(await (await by.get("/admin", { host: "assay.test" })).text()).toContain("Nothing needs attention.");
    await elsewhere.stop();
  });

  test("warns about plain http beyond loopback", async () => {
    const html = await (await visitor.get("/admin", { host: "nas.assay.test" })).text();
    expect(html).toContain("You opened this page over plain HTTP.");
  });

  test.each([
    ["en-gb", "Scans failed", "1,5", "browser-unavailable", "not started yet"],
    ["de-de", "Fehlgeschlagene Scans", "1.5", "browser-unavailable", "noch nicht gestartet"],
  ])("shows the last day and the server in %s", async (locale, label, count, ...texts) => {
    const failed = { timeout: 1_500, "browser-unavailable": 3 };
    sad.lastDay = () => ({ ...noActivity(new Date()), finished: 7, failed, claimed: 2, waitedMs: 6_000, longestWaitMs: 5_000 });
    sad.storeBytes = () => 12_345_678;
    const html = await read(`/admin?locale=${locale}`);
    for (const text of [label, `${count}03`, `${count}00`, "12", ...texts]) expect(html).toContain(text);
    expect(html.indexOf("timeout")).toBeLessThan(html.indexOf("browser-unavailable"));
    expect(html).toMatch(/>3 [Ss]e[ck][^<]*<.*>5 [Ss]e[ck]/s);
  });

  test("runs the system checks once at a time and shows their results", async () => {
    expect(await read("/admin")).toContain("There has been no self-test");
    const begun = await visitor.post("/admin/doctor", {}, "/admin");
    expect([begun.status, begun.headers.get("location")]).toEqual([303, "/admin#doctor"]);
    const looking = await read("/admin");
    expect(looking).toContain("The self-test is running.");
    expect(looking).toContain('http-equiv="refresh" content="3;url=/admin"');
    expect(looking).not.toContain('action="/admin/doctor"');
    finish([{ what: "dns", state: "failed", detail: "nobody <answers>" }]);
    await Bun.sleep(1);
    expect(await read("/admin")).toMatch(/resolver<\/th>.*Does not work.*nobody &lt;answers>/s);
  });
});

describe("/admin/users", () => {
  test("changes a plan with immediate effect", async () => {
    const answer = await visitor.post(`/admin/users/${user.id}/plan`, { plan: "agency" }, "/admin/users");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/admin/users?done=plan"]);
    expect(pages.store.accounts.findById(user.id)?.plan).toBe("agency");
    expect(await read("/admin/users?done=plan")).toMatch(/role="alert".*The plan was changed\./s);
  });

  test("disables an account, which ends its sessions, and enables it again", async () => {
    const other = await signedIn(pages, user);
    await visitor.post(`/admin/users/${user.id}/state`, { state: "disabled" }, "/admin/users");
    expect(pages.store.accounts.findById(user.id)?.disabled).toBe(true);
    expect((await other.get("/admin")).status).toBe(303);
    expect(await read("/admin/users")).toContain('aria-label="Enable second@assay.test"');
    await visitor.post(`/admin/users/${user.id}/state`, { state: "enabled" }, "/admin/users");
    expect(pages.store.accounts.findById(user.id)?.disabled).toBe(false);
  });

  test("refuses that administrators disable themselves", async () => {
    const answer = await visitor.post(`/admin/users/${admin.id}/state`, { state: "disabled" }, "/admin/users");
    expect(answer.headers.get("location")).toBe("/admin/users?done=self");
    expect(pages.store.accounts.findById(admin.id)?.disabled).toBe(false);
  });

  test("refuses values that the form cannot send", async () => {
    const sent = async (path: string, fields: Record<string, string>) => (await visitor.post(path, fields, "/admin/users")).status;
    expect(await sent(`/admin/users/${user.id}/plan`, { plan: "gold" })).toBe(400);
    expect(await sent(`/admin/users/${user.id}/state`, {})).toBe(400);
    expect(await sent("/admin/users/999/plan", { plan: "free" })).toBe(404);
    expect(await sent("/admin/users/1e0/plan", { plan: "free" })).toBe(404);
    expect(await sent("/admin/users/%zz/plan", { plan: "free" })).toBe(404);
  });

  test("searches by part of the address, with pages of fifty", async () => {
    const many = await startPages();
    const by = await signedIn(many, await accountIn(many, "first@assay.test"));
    for (let count = 0; count < 60; count++) await accountIn(many, `many-${count}@assay.test`);
    const first = await read("/admin/users?q=MANY-", by);
    expect(first.split('id="account-').length - 1).toBe(50);
    const next = /href="(\/admin\/users\?q=MANY-&amp;before=\d+)"/.exec(first)?.[1]?.replace("&amp;", "&") ?? "";
    expect((await read(next, by)).split('id="account-').length - 1).toBe(10);
    expect(first.indexOf("many-59@")).toBeLessThan(first.indexOf("many-58@"));
    expect(await read("/admin/users?q=MANY-&before=nonsense", by)).toContain("many-59@");
    expect(await read("/admin/users?q=%3Cscript%3E", by)).toContain('value="&lt;script>"');
    await many.stop();
  });
});

describe("an invitation", () => {
  test("shows a working link once", async () => {
    const answer = await visitor.post("/admin/invitations", { email: "new@assay.test", plan: "agency" }, "/admin/users");
    const html = await answer.text();
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const value = /value="http:[^"]*\/sign-up\?t=([^"]+)"/.exec(html)?.[1] ?? "";
    expect(pages.store.oneTimeLinks.findByValue("invite", value, new Date())).toMatchObject({
      email: "new@assay.test",
      plan: "agency",
      admin: false,
    });
    expect(pages.logged.join("")).not.toContain(value);
    expect(html).toContain("It can be used once, by new@assay.test, until");
  });

  test("may be without an address", async () => {
    const answer = await visitor.post("/admin/invitations", { email: " ", plan: "free" }, "/admin/users");
    expect(await answer.text()).toContain("by anyone who has it");
  });

  test.each([
    ["no address", "This is not an email address."],
    ["second@assay.test", "There is already an account with this email address."],
  ])("to %s is refused, and keeps the typed address", async (email, sentence) => {
    const answer = await visitor.post("/admin/invitations", { email, plan: "free" }, "/admin/users");
    const html = await answer.text();
    expect(answer.status).toBe(400);
    expect(html).toContain(sentence);
    expect(html).toContain(`value="${email}"`);
    expect(html).toContain('aria-invalid="true"');
  });

  test("is refused while sign-up is closed", async () => {
    const closed = await startPages();
    const other = await signedIn(closed, await accountIn(closed, "first@assay.test"));
    expect(await read("/admin/users", other)).toContain("Sign-up is closed.");
    expect((await other.post("/admin/invitations", { email: "", plan: "free" }, "/admin/users")).status).toBe(400);
    await closed.stop();
  });
});

test("/admin/settings shows each value with its source", async () => {
  sad.settings = [
    { key: "public_url", value: null, origin: "default", originName: null, variable: "ASSAY_PUBLIC_URL" },
    { key: "scan.timeout", value: "30", origin: "file", originName: "/etc/<assay>.toml", variable: "ASSAY_SCAN_TIMEOUT" },
  ];
  const html = await read("/admin/settings");
  expect(html).toMatch(/public_url<\/code>.*ASSAY_PUBLIC_URL.*not set.*default/s);
  expect(html).toMatch(/scan\.timeout<\/code>.*>30<.*file.*\/etc\/&lt;assay>\.toml/s);
});

test("/admin/checks lists the files of plugin checks", async () => {
  expect(await read("/admin/checks")).toContain("No checks of your own are loaded.");
});

describe("the reload of checks", () => {
  const checksDir = mkdtempSync(join(tmpdir(), "assay-admin-checks-"));
  const options = { checksDir, unknownKeys: "refuse", workerFile: workerFiles.catalog } as const;
  const checks = createCatalogHolder(builtInCatalog, {
    load: () => loadCatalogSafely(options),
    onReload: () => {},
    now: () => new Date(),
  });

  beforeEach(() => {
    sad.checks = checks;
  });
  afterAll(() => rmSync(checksDir, { recursive: true, force: true }));

  test("needs an administrator and an Origin of ours", async () => {
    let reloads = 0;
    sad.checks = { ...checks, reload: () => Promise.reject(new Error(`reload ${++reloads}`)) };
    const cookie = (by: Visitor) => [...by.cookies].map((pair) => pair.join("=")).join("; ");
    const other = await signedIn(pages, user);
    const send = (headers: Record<string, string>) => {
      return fetch(`${pages.url}/admin/checks/reload`, { method: "POST", headers, body: new URLSearchParams({}) });
    };
    const answers = [
      { origin: pages.url },
      { cookie: cookie(other), origin: pages.url },
      { cookie: cookie(visitor), origin: "https://evil.example" },
    ].map(send);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 403, 403]);
    expect((await visitor.get("/admin/checks/reload")).status).toBe(405);
    expect(reloads).toBe(0);
  });

  test("shows what changed, in both languages", async () => {
    writeFileSync(join(checksDir, "own-check.ts"), pluginSource("own-check"), { mode: 0o600 });
    const answer = await visitor.post("/admin/checks/reload", {}, "/admin/checks");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/admin/checks#reload"]);
    expect(await read("/admin/checks")).toMatch(/The checks were reloaded.*Added:.*own-check/s);
    expect(await read("/admin/checks?locale=de-de")).toMatch(/Die Pr\u00fcfungen wurden neu geladen.*Neu:.*own-check/s);
    await visitor.post("/admin/checks/reload", {}, "/admin/checks");
    expect(await read("/admin/checks?locale=en-gb")).toContain("No file has changed.");
    expect(await read("/admin")).not.toContain("reload of the checks");
  });

  test("shows the faults of a refused one, escaped, until one succeeds", async () => {
    writeFileSync(join(checksDir, "own-two.ts"), '\nthrow new Error("<script>\\u202e");', { mode: 0o600 });
    await visitor.post("/admin/checks/reload", {}, "/admin/checks");
    expect(await read("/admin/checks")).toMatch(/changed nothing, because files have faults.*own-two\.ts:2:\d+: &lt;script> <\/li>/s);
    expect(await read("/admin")).toContain('<a href="/admin/checks#reload">Show the faults</a>');
    rmSync(join(checksDir, "own-two.ts"));
    await visitor.post("/admin/checks/reload", {}, "/admin/checks");
    expect(await read("/admin")).not.toContain("Show the faults");
  });
});

test("/admin/checks names unknown keys of plugins", async () => {
  const warning = { file: "/checks/own.ts", line: 3, column: 7, reason: "unknown key wieght: did you mean weight?" };
  const warned = await startPages({ catalog: { ...builtInCatalog, warnings: [warning] } });
  const by = await signedIn(warned, await accountIn(warned, "first@assay.test"));
  expect(await (await by.get("/admin/checks")).text()).toContain("check /checks/own.ts:3:7: unknown key wieght: did you mean weight?");
  await warned.stop();
});

test("the administration pages are translated into German", async () => {
  for (const path of places) {
    const html = await read(`${path}?locale=de-de`);
    expect(html).toContain(deDe.pages.admin.nav.overview);
    expect(html).not.toContain("{{");
    expect(html).not.toContain("admin.");
  }
});
