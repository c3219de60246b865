/** Brand, members, invitations and clients over the API. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { DecodedLogo, LogoFault, PrintPdf } from "../../../src/base/documents.ts";
import type { MemberInvitation } from "../../../src/store/site-accounts.ts";
import { type AccountClient, accountClient, startAccountApi } from "../../support/account-api.ts";
import type { ApiUnderTest } from "../../support/api.ts";
import { pngImage } from "../../support/images.ts";

const drawn: DecodedLogo = { png: new Uint8Array(pngImage(30, 20, [255, 0, 0, 255])), width: 30, height: 20 };
let outcome: DecodedLogo | LogoFault;
let mailed: { readonly invitation: MemberInvitation; readonly url: string }[];
let mailOutcome: "sent" | "too-many";
/** HTML files that were to be printed. What the browser prints is tested in test/browser. */
const printed: string[] = [];
let printing: Awaited<ReturnType<PrintPdf>>;
let api: ApiUnderTest;
let client: AccountClient;

beforeAll(async () => {
  api = await startAccountApi({
    config: { public_url: "https://assay.example" },
    decodeLogo: async () => outcome,
    printPdf: async (html) => {
      printed.push(html);
      return printing;
    },
    mail: {
      memberInvitation: async (_owner, invitation, url) => {
        mailed.push({ invitation, url });
        return mailOutcome;
      },
    },
  });
});
afterAll(async () => {
  expect(api.troubles()).toEqual([]);
  await api.stop();
});
beforeEach(async () => {
  [outcome, mailed, mailOutcome, printing] = [drawn, [], "sent", new Uint8Array(Buffer.from("%PDF"))];
  client = await accountClient(api);
});

const bytesOf = (path: string, init: RequestInit & { readonly token?: string } = {}) =>
  api.request(`/api/v1${path}`, { token: client.token, ...init });
const putLogo = (body: Uint8Array<ArrayBuffer>, token = client.token) =>
  api.request("/api/v1/brand/logo", { method: "PUT", token, body, headers: { "content-type": "image/png" } });

describe("the brand", () => {
  test("is set, read and removed; the logo stays when the fields change", async () => {
    expect((await client.call("GET", "/brand")).status).toBe(404);
    const fields = { name: " Agency ", accent: "#14501E", footer: "1 Street & Co" };
    expect((await client.call("PUT", "/brand", fields)).body).toEqual({
      name: "Agency",
      accent: "#14501e",
      footer: "1 Street & Co",
      logo: null,
    } as never);
    const saved = await putLogo(new Uint8Array([1, 2, 3]));
    expect([saved.status, await saved.json()]).toEqual([
      200,
      { name: "Agency", accent: "#14501e", footer: "1 Street & Co", logo: { url: "/api/v1/brand/logo", width: 30, height: 20 } },
    ]);
    expect((await client.call("PUT", "/brand", { name: "Other", accent: null })).body).toEqual({
      name: "Other",
      accent: null,
      footer: null,
      logo: { url: "/api/v1/brand/logo", width: 30, height: 20 },
    } as never);
    const logo = await bytesOf("/brand/logo");
    expect([logo.status, logo.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(new Uint8Array(await logo.arrayBuffer())).toEqual(drawn.png);
    expect((await client.call("DELETE", "/brand/logo")).status).toBe(204);
    expect((await bytesOf("/brand/logo")).status).toBe(404);
    expect((await client.call("DELETE", "/brand/logo")).status).toBe(404);
    expect((await client.call("DELETE", "/brand")).status).toBe(204);
    expect((await client.call("DELETE", "/brand")).status).toBe(404);
  });

  test.each<[string, object, readonly string[]]>([
    ["without a name", { accent: "#14501e" }, ["name"]],
    ["of wrong types", { name: 7, footer: [] }, ["name", "footer"]],
    ["with a long name and a light colour", { name: "n".repeat(61), accent: "#ffee00" }, ["name", "accent"]],
    ["with a footer of two lines", { name: "A", footer: "a\nb" }, ["footer"]],
    ["with a misspelled field", { name: "A", acent: "#14501e" }, ["acent"]],
  ])("is 400 %s", async (_what, body, fields) => {
    const answer = await client.call("PUT", "/brand", body);
    expect([answer.status, Object.keys(answer.body.fieldErrors)]).toEqual([400, fields]);
    expect(api.store.brands.find(client.accountId)).toBeUndefined();
  });

  test.each(["too-large", "wrong-type", "too-many-pixels", "broken"] as const)("is 400 with a logo that is %s", async (fault) => {
    await client.call("PUT", "/brand", { name: "A" });
    outcome = fault;
    const answer = await putLogo(new Uint8Array(fault === "too-large" ? 10_000_000 : 200_000));
    expect([answer.status, Object.keys(((await answer.json()) as { fieldErrors: object }).fieldErrors)]).toEqual([400, ["logo"]]);
    expect(api.store.brands.find(client.accountId)?.logoPng).toBeNull();
  });

  test("is 503 while the browser that draws is busy, 404 without a brand", async () => {
    expect((await putLogo(new Uint8Array(1))).status).toBe(404);
    await client.call("PUT", "/brand", { name: "A" });
    outcome = "busy";
    const busy = await putLogo(new Uint8Array(1));
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([503, "20"]);
  });

  test("belongs to its account", async () => {
    await client.call("PUT", "/brand", { name: "A" });
    const other = await accountClient(api);
    expect((await other.call("GET", "/brand")).status).toBe(404);
    expect((await putLogo(new Uint8Array(1), other.token)).status).toBe(404);
  });
});

describe("members", () => {
  /** Accepts an invitation with an account of its own. */
  async function join(role: "viewer" | "editor" = "viewer") {
    const other = await accountClient(api);
    mailOutcome = "too-many";
    const { body } = await client.call("POST", "/invitations", { email: other.email, role });
    const value = new URL((body as unknown as { acceptUrl: string }).acceptUrl, "http://x").searchParams.get("invitation") ?? "";
    await api.store.members.accept(value, other.accountId, new Date());
    return other;
  }

  test("are invited by mail, whose link is in no answer", async () => {
    const answer = await client.call("POST", "/invitations", { email: "Some@One.example", role: "editor" });
    expect([answer.status, answer.headers.get("location")]).toEqual([201, "/api/v1/invitations/Some%40One.example"]);
    expect(answer.body).toMatchObject({ email: "Some@One.example", role: "editor", mail: "sent", acceptUrl: null });
    expect(mailed.map(({ url }) => url)).toEqual([expect.stringMatching(/^https:\/\/assay\.example\/members\/accept\?invitation=\w+/)]);
    const list = await client.call("GET", "/invitations");
    expect(list.body.items).toEqual([{ email: "Some@One.example", role: "editor", expiresAt: expect.any(String) } as never]);
    expect((await client.call("DELETE", "/invitations/some%40one.example")).status).toBe(204);
    expect((await client.call("GET", "/invitations")).body.items).toEqual([]);
    expect((await client.call("DELETE", "/invitations/some%40one.example")).status).toBe(404);
    expect((await client.call("DELETE", "/invitations/%ff")).status).toBe(404);
  });

  test("get the link by other means where no mail was sent, join, change their role and leave", async () => {
    const other = await join();
    const { body } = await client.call("GET", "/members");
    expect(body.items).toEqual([{ id: other.accountId, email: other.email, role: "viewer", since: expect.any(String) } as never]);
    const path = `/members/${other.accountId}`;
    expect((await client.call("PATCH", path, { role: "editor" })).body).toMatchObject({ id: other.accountId, role: "editor" } as never);
    expect((await client.call("PATCH", path, { role: "owner" })).status).toBe(400);
    expect((await client.call("DELETE", path)).status).toBe(204);
    expect((await client.call("GET", "/members")).body.items).toEqual([]);
    expect((await client.call("DELETE", path)).status).toBe(404);
  });

  test("of another account are unknown, and share no site over the API", async () => {
    const member = await join("editor");
    const stranger = await accountClient(api);
    for (const [method, body] of [
      ["PATCH", { role: "viewer" }],
      ["DELETE", undefined],
    ] as const)
      expect((await stranger.call(method, `/members/${member.accountId}`, body)).status).toBe(404);
    await client.call("POST", "/sites", { url: "https://shared.example/" });
    expect((await member.call("GET", "/sites")).body.items).toEqual([]);
    expect(api.store.members.find(client.accountId, member.accountId)?.role).toBe("editor");
  });

  test.each<[string, object, number]>([
    ["without an address", { role: "viewer" }, 400],
    ["with something else than an address", { email: "nobody", role: "viewer" }, 400],
    ["without a role", { email: "a@b.example" }, 400],
    ["with a field of another name", { email: "a@b.example", role: "viewer", name: "x" }, 400],
  ])("are not invited %s", async (_what, body, status) => {
    expect((await client.call("POST", "/invitations", body)).status).toBe(status);
    expect(mailed).toEqual([]);
  });

  test("are not invited twice, and the owner not at all", async () => {
    const member = await join();
    expect((await client.call("POST", "/invitations", { email: member.email.toUpperCase(), role: "viewer" })).status).toBe(409);
    expect((await client.call("POST", "/invitations", { email: client.email, role: "viewer" })).status).toBe(400);
  });

  test("are at most a hundred at a time", async () => {
    for (let at = 0; at < 100; at++)
      await api.store.members.invite({ ownerId: client.accountId, email: `m${at}@b.example`, role: "viewer" }, new Date());
    expect((await client.call("POST", "/invitations", { email: "more@b.example", role: "viewer" })).status).toBe(409);
  });
});

describe("the report of a client", () => {
  const add = (url: string, name: string) => client.call("POST", "/sites", { url, client: name });

  test("is one file about its sites alone, with the brand, in the language of its parameter", async () => {
    await add("https://a.example/", "Miller / S\u00f6hne");
    await add("https://other.example/", "Other");
    await client.call("PUT", "/brand", { name: "Agency & Co" });
    const path = `/clients/${encodeURIComponent("Miller / S\u00f6hne")}/report`;
    const pdf = await bytesOf(`${path}.pdf?locale=de-de`);
    expect([pdf.status, pdf.headers.get("content-type"), await pdf.text()]).toEqual([200, "application/pdf", "%PDF"]);
    expect(pdf.headers.get("content-disposition")).toMatch(/^attachment; filename="security-report_Miller-Soehne_\d{4}-\d\d-\d\d\.pdf"$/);
    const html = await (await bytesOf(`${path}.html?locale=de-de`)).text();
    expect(printed.at(-1)).toBe(html);
    expect(html).toContain("a.example");
    expect(html).toContain("Agency &amp; Co");
    expect(html).not.toContain("other.example");
    expect(await (await bytesOf(`${path}.html`)).text()).not.toBe(html);
    const etag = pdf.headers.get("etag") ?? "";
    expect((await bytesOf(`${path}.pdf?locale=de-de`, { headers: { "if-none-match": etag } })).status).toBe(304);
  });

  test("is rendered anew when a site, the brand or the hour has changed", async () => {
    const { id } = (await add("https://a.example/", "M")).body;
    const read = async () => {
      const answer = await bytesOf("/clients/M/report.html");
      return [answer.headers.get("etag"), await answer.text()] as const;
    };
    const [first, same] = [await read(), await read()];
    expect(same).toEqual(first);
    await client.call("PATCH", `/sites/${id}`, { name: "Renamed" });
    const renamed = await read();
    expect([renamed[0] === first[0], renamed[1].includes("Renamed")]).toEqual([false, true]);
    await client.call("PUT", "/brand", { name: "Agency" });
    expect((await read())[1]).toContain("Agency");
    await client.call("DELETE", `/sites/${id}`);
    expect((await bytesOf("/clients/M/report.html")).status).toBe(404);
  });

  test("is 404 for an unknown client and that of another account, 400 for another language, 503 while printing is not possible", async () => {
    await add("https://a.example/", "M");
    const other = await accountClient(api);
    expect((await client.call("GET", "/clients/N/report.html")).body).toEqual((await other.call("GET", "/clients/M/report.html")).body);
    expect((await other.call("GET", "/clients/M/report.html")).status).toBe(404);
    expect((await client.call("GET", "/clients/%ff/report.html")).status).toBe(404);
    expect((await client.call("GET", "/clients/M/report.html?locale=fr-fr")).status).toBe(400);
    printing = "busy";
    const busy = await bytesOf("/clients/M/report.pdf");
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([503, "20"]);
  });
});

test("the token for metrics is in the answer that issues it, replaces the earlier one, and ends", async () => {
  const issue = async () => (await client.call("POST", "/metrics-token")).body.token;
  const [first, second] = [await issue(), await issue()];
  expect([first, second].map((value) => api.store.metricsTokens.accountOf(value))).toEqual([undefined, client.accountId]);
  expect((await client.call("DELETE", "/metrics-token")).status).toBe(204);
  expect(api.store.metricsTokens.accountOf(second)).toBeUndefined();
  expect((await client.call("DELETE", "/metrics-token")).status).toBe(404);
});

describe("clients", () => {
  test("are the names of the sites, with figures of those that were measured", async () => {
    const add = async (url: string, name: string | null) => (await client.call("POST", "/sites", { url, client: name })).body.id;
    const [first, second] = [
      await add("https://a.example/", "Miller / S\u00f6hne"),
      await add("https://b.example/", "Miller / S\u00f6hne"),
    ];
    await add("https://c.example/", "Empty");
    await add("https://d.example/", null);
    const reading = { token: "t", at: "2026-03-01T00:00:00.000Z", score: 71, band: "warn", rank: "fair", open: 4 } as const;
    await api.store.sites.change(client.accountId, first, () => ({
      reading: { ...reading, certificateExpiresAt: "2026-06-01T00:00:00.000Z" },
    }));
    await api.store.sites.change(client.accountId, second, () => ({
      reading: { ...reading, score: 90, open: 1, certificateExpiresAt: null },
    }));
    expect((await client.call("GET", "/clients")).body.items).toEqual([
      {
        name: "Empty",
        siteCount: 1,
        measuredCount: 0,
        score: null,
        open: null,
        certificateExpiresAt: null,
        reportUrl: "/api/v1/clients/Empty/report.pdf",
      },
      {
        name: "Miller / S\u00f6hne",
        siteCount: 2,
        measuredCount: 2,
        score: 71,
        open: 5,
        certificateExpiresAt: "2026-06-01T00:00:00.000Z",
        reportUrl: "/api/v1/clients/Miller%20%2F%20S%C3%B6hne/report.pdf",
      },
    ] as never);
  });
});
