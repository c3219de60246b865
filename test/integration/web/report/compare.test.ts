/** Comparison page of two scans. */
import { afterAll, describe, expect, test } from "vitest";
import { knownScans, storeSite } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";

const pages = await startPages();
const now = Date.now();
const at = (days: number) => new Date(now - days * 86_400_000);
afterAll(() => pages.stop());

const url = "https://compared.example/";
const { findings, ledger } = knownScans.silent.result;
const [first, second, ...others] = findings;
if (first === undefined || second === undefined) throw new Error("the silent site has findings");
const product = findings.find(({ code }) => code === "security.disclosure.server");
if (product === undefined) throw new Error("the silent site names its server");

const before = await storeSite(pages.store, "silent", { at: at(2), url, result: { score: 60, findings: [first, ...others] } });
const after = await storeSite(pages.store, "silent", {
  at: at(1),
  url,
  result: {
    score: 65,
    findings: [
      ...findings.filter((finding) => finding !== first && finding !== product),
      { ...product, values: { value: "nginx/1.30.0" } },
    ],
    ledger: ledger.map((row) => (row.key === first.checkKey ? { ...row, state: "passed" } : row)),
  },
});
const otherHost = await storeSite(pages.store, "sound", { at: at(0) });

async function read(path: string, status = 200, locale = "en-gb"): Promise<string> {
  const answer = await fetch(`${pages.url}/scans/${path}`, { headers: { cookie: `locale=${locale}` } });
  expect(answer.status).toBe(status);
  return answer.text();
}
const section = (html: string, id: string) => html.split(`<h2 id="${id}">`)[1]?.split("</section>")[0] ?? "";
const text = (html: string) => html.replaceAll(/<[^>]*>/g, "");

describe("two scans of the same URL", () => {
  test("show new, fixed and changed findings, and the score difference", async () => {
    const html = await read(`${after.token}/compare?with=previous`);
    expect(text(html)).toContain("The score rose by 5 points.");
    expect(section(html, "appeared")).toContain(`/scans/${after.token}#${second.code}`);
    expect(section(html, "fixed")).toContain(`/scans/${before.token}#${first.code}`);
    expect(text(section(html, "changed"))).toMatch(/nginx\/1\.22\.1[\s\S]*nginx\/1\.30\.0/);
    expect(text(section(html, "unchanged"))).toContain(`${findings.length - 3} unchanged findings`);
    expect(section(html, "checks")).toContain(`/checks/${first.checkKey}`);
    expect(html).not.toContain("by different rules");
  });

  test("are compared from earlier to later for either token", async () => {
    for (const path of [`${after.token}/compare`, `${before.token}/compare?with=${after.token}`]) {
      expect(text(await read(path))).toContain("The score rose by 5 points.");
    }
  });

  test("are compared in German too", async () => {
    const html = await read(`${after.token}/compare`, 200, "de-de");
    expect(text(html)).toContain("Die Punktzahl ist um 5 Punkte gestiegen.");
    expect(html).not.toMatch(/\{\{|undefined|compare\.[a-z]/);
  });
});

test("two equal scans are reported as equal", async () => {
  expect(text(await read(`${after.token}/compare?with=${after.token}`))).toContain("No changes");
});

test("a finding whose check did not run does not count as fixed", async () => {
  const blind = await storeSite(pages.store, "old", { at: at(0), url });
  const html = await read(`${blind.token}/compare?with=${after.token}`);
  expect(section(html, "fixed")).not.toContain(`#${second.code}`);
  expect(section(html, "noLongerChecked")).toContain(`/scans/${after.token}#${second.code}`);
  expect(text(html)).toContain("The two scores cannot be compared");
});

test("a changed catalog shows a warning", async () => {
  const other = await storeSite(pages.store, "silent", { at: at(0), url: "https://rules.example/", result: { catalogVersion: "another" } });
  expect(text(await read(`${other.token}/compare?with=${after.token}`))).toContain("The two scans were evaluated by different rules");
});

test("scans of two hosts are compared with a warning", async () => {
  const html = text(await read(`${otherHost.token}/compare?with=${after.token}`));
  expect(html).toContain("These are scans of two different hosts");
});

test("a scan of another URL of the host serves as the earlier scan, with a notice", async () => {
  const scan = await storeSite(pages.store, "silent", { at: at(0), url: `${url}other` });
  expect(text(await read(`${scan.token}/compare?with=previous`))).toContain("two addresses of the same host");
});

test("a missing earlier scan is reported", async () => {
  const html = await read(`${otherHost.token}/compare?with=previous`);
  expect(text(html)).toContain("There is no earlier scan to compare with");
  expect(html).toContain('name="url" value="https://assay-sound-site.org/');
});

test("guests who may not scan see no scan button", async () => {
  const closed = await startPages({ config: { "guest.scans": false } });
  const only = await storeSite(closed.store, "sound", { at: at(0) });
  for (const path of ["", "/compare"])
    expect(await (await closed.visitor().get(`/scans/${only.token}${path}`)).text()).not.toContain('method="post"');
  await closed.stop();
});

test.each(["nobody", "0000000000000000000000", "%E0%A4%A", "<script>"])("an unknown token gives 404: %s", async (token) => {
  await read(`${after.token}/compare?with=${encodeURIComponent(token)}`, 404);
});

test("no internal error was logged", () => {
  expect(pages.logged).toEqual([]);
});
