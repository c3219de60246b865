/** Choice of the server that a report shows lines for. */
import { afterAll, describe, expect, test } from "vitest";
import deDe from "../../../../locales/de-de.json" with { type: "json" };
import { storeSite } from "../../../support/finished-scans.ts";
import { startPages } from "../../../support/pages.ts";

const pages = await startPages();
const { token } = await storeSite(pages.store, "silent", { at: new Date() });
const path = `/scans/${token}`;
afterAll(() => pages.stop());

async function read(visitor: ReturnType<typeof pages.visitor>, query = ""): Promise<string> {
  return (await visitor.get(`${path}${query}`)).text();
}

function labelsOf(html: string): readonly string[] {
  const findings = html.split('class="finding-row"').slice(1).join("");
  return [...new Set([...findings.matchAll(/<figcaption><span[^>]*>([^<]+)</g)].map(([, label = ""]) => label))];
}

describe("a report", () => {
  test("shows lines for one server, and for DNS and files", async () => {
    const html = await read(pages.visitor());
    expect(labelsOf(html)).toEqual(expect.arrayContaining(["nginx"]));
    expect(labelsOf(html).filter((label) => ["Apache", "Caddy", "IIS"].includes(label))).toEqual([]);
    expect(html).toMatch(/<option value="nginx" selected>/);
  });

  test("keeps the chosen server in a cookie, also within a kept page", async () => {
    const visitor = pages.visitor();
    const answer = await visitor.get(`${path}?server=iis&severity=high`);
    expect(answer.headers.get("set-cookie")).toContain("server=iis; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000");
    const html = await answer.text();
    expect(labelsOf(html)).toContain("IIS");
    // The form keeps the filter.
    expect(html).toContain('<input type="hidden" name="severity" value="high"/>');
    expect(labelsOf(await read(visitor))).toContain("IIS");
    expect(labelsOf(await read(pages.visitor()))).not.toContain("IIS");
  });

  test("explains without lines for a server", async () => {
    const html = await read(pages.visitor(), "?server=explain");
    expect(labelsOf(html).filter((label) => ["nginx", "Apache"].includes(label))).toEqual([]);
    expect(html).not.toContain("all-lines");
  });

  test.each(["nonsense", "__proto__", "constructor"])("ignores the unknown server %s", async (name) => {
    const answer = await pages.visitor().get(`${path}?server=${name}`);
    expect(answer.headers.get("set-cookie") ?? "").not.toContain("server=");
    expect(labelsOf(await answer.text())).toContain("nginx");
  });

  test("says what the lines are worth, unless the server cannot express them or the scan is older", async () => {
    const lines = { score: 91, codes: ["security.missing-header.content-security-policy"] };
    const scored = await storeSite(pages.store, "silent", { at: new Date(), result: { lines } });
    const known = async (query: string) => (await pages.visitor().get(`/scans/${scored.token}${query}`)).text();
    const { score } = pages.store.results.find(scored.token) ?? {};
    expect(await known("?server=nginx")).toContain(`These lines: ${score} \u2192 91`);
    expect(await known("?locale=de-de")).toContain(`Diese Zeilen: ${score} \u2192 91`);
    expect(await read(pages.visitor(), "?server=nginx")).not.toContain("These lines:");
    const other = { score: 91, codes: ["security.tls.certificate-expired"] };
    const unexpressed = await storeSite(pages.store, "silent", { at: new Date(), result: { lines: other } });
    expect(await (await pages.visitor().get(`/scans/${unexpressed.token}`)).text()).not.toContain("These lines:");
  });

  test("has one configuration for all findings, and links to those that need other steps", async () => {
    const html = await read(pages.visitor(), "?server=apache");
    const part = html.split('class="paste all-lines"')[1]?.split("</details>")[0] ?? "";
    expect(part).toContain("All lines for Apache as one configuration");
    expect(part.split("Header always set Strict-Transport-Security")).toHaveLength(2);
    expect(part).toContain("The lines were tested by scanning a site behind the real server");
    const left = [...part.matchAll(/<a href="#([^"]+)"/g)].map(([, anchor = ""]) => anchor);
    expect(left.length).toBeGreaterThan(0);
    for (const anchor of left) expect(html).toContain(`id="${anchor}"`);
    expect(await read(pages.visitor(), "?server=iis")).toContain("they were not tested against the real server");
  });

  test("names each target in German too", async () => {
    const html = await read(pages.visitor(), "?server=caddy&locale=de-de");
    expect(html).toContain(deDe.pages.report.server.all.replace("{{server}}", "Caddy"));
    expect(html).toContain("# In den Site-Block");
  });
});
