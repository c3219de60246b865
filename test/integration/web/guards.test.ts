/** Who may open which route: every route, asked with GET and POST by every kind of visitor. */

import { afterAll, describe, expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { acceptMemberPath } from "../../../src/agency/member-operations.ts";
import type { MemberRole } from "../../../src/store/site-accounts.ts";
import { type GetFor, guardedRoutes, type PageRoute, type PostFor } from "../../../src/web/guards.ts";
import { pageRoutes } from "../../../src/web/routes.ts";
import { siteFormBytesMax } from "../../../src/web/sites/edit-site.tsx";
import { importBytesMax } from "../../../src/web/sites/import.tsx";
import { bulkBytesMax } from "../../../src/web/sites/site-actions.ts";
import type { PageHandler } from "../../../src/web/visit.ts";
import { pixelJpeg, storeSite } from "../../support/finished-scans.ts";
import { pngImage } from "../../support/images.ts";
import { quietOperator, startPages, type Visitor } from "../../support/pages.ts";
import { endProof, workingProof } from "../../support/proof-bodies.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";
import { addSite } from "../../support/watched-sites.ts";

const pages = await startPages({
  config: { readers: "accounts" },
  printPdf: async () => new Uint8Array(1),
  operator: { ...quietOperator, checks: { ...quietOperator.checks, reload: async () => ({ outcome: "refused", at: "", faults: [] }) } },
});
const { store } = pages;
afterAll(async () => {
  expect(pages.logged.filter((line) => line.includes("page failed"))).toEqual([]);
  await pages.stop();
});

const admin = await accountIn(pages, "admin@assay.test");
const agency = await accountIn(pages, "agency@assay.test", { plan: "agency" });
const disabled = await accountIn(pages, "disabled@assay.test", { plan: "agency" });
const visitors = {
  guest: pages.visitor(),
  free: await signedIn(pages, await accountIn(pages, "free@assay.test")),
  agency: await signedIn(pages, agency),
  editor: await memberWith("editor"),
  viewer: await memberWith("viewer"),
  otherAgency: await signedIn(pages, await accountIn(pages, "other@assay.test", { plan: "agency" })),
  administrator: await signedIn(pages, admin),
  disabled: await signedIn(pages, disabled),
};
type VisitorName = keyof typeof visitors;
const isGuest = (name: VisitorName) => name === "guest" || name === "disabled";
const visitorNames = Object.keys(visitors) as VisitorName[];
await store.accounts.setDisabled(disabled.id, true);

/** Visitor with whom the agency shares its sites. */
async function memberWith(role: MemberRole): Promise<Visitor> {
  const account = await accountIn(pages, `${role}@assay.test`, { plan: "agency" });
  const invited = await store.members.invite({ ownerId: agency.id, email: account.email, role }, new Date());
  if (typeof invited === "string") throw new Error(invited);
  await store.members.accept(invited.value, account.id, new Date());
  return signedIn(pages, account);
}

const site = await addSite(store, { accountId: agency.id, url: "https://watched.example/", client: "Acme", now: new Date() });
const logoPng = pngImage(3, 2, "noise").toString("base64");
await store.brands.change(agency.id, () => ({ name: "Brand", logoPng, accent: null, footer: null }));
const { token } = await storeSite(store, "bare", { at: new Date(), url: "https://scanned.example/", screenshot: pixelJpeg });

const samples: Readonly<Record<string, string>> = {
  token,
  host: "scanned.example",
  file: "scanned.example.svg",
  key: "csp-syntax",
  name: "Acme",
};
const proofToken = await endProof(store, workingProof, { pictures: { before: pixelJpeg, after: pixelJpeg } });
const sampleOf = ({ path }: PageRoute, name: string) => (path.startsWith("/proofs/") ? proofToken : (samples[name] ?? String(idOf(path))));
const idOf = (path: string) => (path.startsWith("/sites/") ? site.id : agency.id);
const isOfOwner = ({ audience }: PageRoute) => audience === "members" || audience === "editors";

function asked(route: PageRoute): string {
  const path = route.path.replace(/:(\w+)/, (_whole, name: string) => sampleOf(route, name));
  return isOfOwner(route) ? `${path}?of=${agency.id}` : path;
}

/** Headers by which the sender of a form is recognized. */
type Sender = Readonly<Record<string, string>>;
const ownSenders: readonly Sender[] = [
  { origin: pages.url },
  { origin: pages.url, "sec-fetch-site": "none" },
  { "sec-fetch-site": "same-origin" },
];
const otherSenders: readonly Sender[] = [
  { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
  { origin: "null", "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "none" },
  {},
];

/** `answered`: by the handler, with a page or a redirect, or with its own refusal of the form. */
type Answer = `status ${number}` | "answered" | "signIn" | "signInFirst" | "adminOnly" | "sitesReadOnly" | "notFound" | "formNotOurs";
const refusals = { signInFirst: 401, adminOnly: 403, sitesReadOnly: 403, notFound: 404, formNotOurs: 403 } as const;

async function answerOf(path: string, visitor: Visitor, init: RequestInit = {}, sender: Sender = {}): Promise<Answer> {
  const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
  const answer = await fetch(`${pages.url}${path}`, { redirect: "manual", ...init, headers: { cookie, ...sender } });
  if (answer.headers.get("location")?.startsWith("/sign-in?next=") === true) return "signIn";
  if (answer.status < 400) {
    await answer.body?.cancel();
    return "answered";
  }
  const text = await answer.text();
  const names = Object.keys(refusals) as (keyof typeof refusals)[];
  const refusal = names.find((name) => refusals[name] === answer.status && text.includes(enGb.pages.errors[name].title));
  return refusal ?? (init.method === "POST" && answer.status < 500 ? "answered" : `status ${answer.status}`);
}

function post(route: PageRoute, visitor: Visitor, sender: Sender): Promise<Answer> {
  const body = "upload" in route ? new FormData() : new URLSearchParams();
  body.set("do", "nothing");
  return answerOf(asked(route), visitor, { method: "POST", body }, sender);
}

/** Answers of all visitors, in the notation of the expected ones. */
async function answersOf(ask: (visitor: Visitor) => Promise<Answer>): Promise<Record<string, Answer>> {
  return Object.fromEntries(await Promise.all(visitorNames.map(async (name) => [name, await ask(visitors[name])] as const)));
}

const owners: readonly VisitorName[] = ["agency", "editor", "viewer"];

/** Whether the guard grants the right to an account. */
function rightOf({ audience, path }: PageRoute, method: "GET" | "POST", name: VisitorName): Answer {
  if (audience === "administrators") return name === "administrator" ? "answered" : "adminOnly";
  // Logos are for those who may use the brand, which the handler decides.
  const isShared = audience.startsWith("site") || audience === "members" || audience === "editors" || path.startsWith("/brands/");
  if (!isShared) return "answered";
  if (!owners.includes(name)) return "notFound";
  const changes = method === "POST" || audience === "editors" || audience === "siteEditors";
  return changes && name === "viewer" ? "sitesReadOnly" : "answered";
}

/** Answer that the audience of a route demands. */
function expectedOf(route: PageRoute, method: "GET" | "POST", name: VisitorName): Answer {
  const { audience, path } = route;
  // The only open page whose form is for accounts.
  if (audience === "everybody") return isGuest(name) && method === "POST" && path === acceptMemberPath ? "signInFirst" : "answered";
  if (!isGuest(name)) return audience === "readers" ? "answered" : rightOf(route, method, name);
  if (method === "POST") return audience === "readers" || route.get === undefined ? "signInFirst" : "signIn";
  return audience === "readers" && route.isData?.(asked(route).split("/")[2] ?? null) === true ? "signInFirst" : "signIn";
}

/** Answer to a form of another sender: its rights are read after it. */
function expectedOfOthers(route: PageRoute, name: VisitorName): Answer {
  const expected = expectedOf(route, "POST", name);
  if (isGuest(name) && expected !== "answered") return expected;
  // The plan is refused before the upload is read.
  return "upload" in route && name === "free" ? "answered" : "formNotOurs";
}

/** What a page of everybody answers to all without further parameters, such as the key of a link. */
function ownRefusal({ audience }: PageRoute, { guest }: Readonly<Record<string, Answer>>): Answer | null {
  return audience === "everybody" && (guest === "notFound" || guest?.startsWith("status 4") === true) ? guest : null;
}

const byName = (answer: (name: VisitorName) => Answer) => Object.fromEntries(visitorNames.map((name) => [name, answer(name)]));
const routes = pageRoutes(pages.settings);
const rowsOf = (chosen: readonly PageRoute[]) => chosen.map((route) => [route.path, route] as const);
const gets = routes.filter((route) => route.get !== undefined);
const posts = routes.filter((route) => route.post !== undefined || "upload" in route);
/** Handlers of open pages refuse by themselves, and a form that is accepted would sign out. */
const guardedPosts = posts.filter(({ audience }) => audience !== "everybody" && audience !== "readers");

describe("every kind of visitor", () => {
  test.each(rowsOf(gets))("asks for %s", async (_path, route) => {
    const answers = await answersOf((visitor) => answerOf(asked(route), visitor));
    const own = ownRefusal(route, answers);
    expect(answers).toEqual(byName((name) => own ?? expectedOf(route, "GET", name)));
  });

  test.each(rowsOf(posts))("sends the form %s from another site, or without a sender", async (_path, route) => {
    for (const sender of otherSenders) {
      const answers = await answersOf((visitor) => post(route, visitor, sender));
      const own = ownRefusal(route, answers);
      expect({ sender, answers }).toEqual({ sender, answers: byName((name) => own ?? expectedOfOthers(route, name)) });
    }
  });

  test.each(rowsOf(guardedPosts))("sends the form %s", async (_path, route) => {
    for (const sender of ownSenders) {
      const answers = await answersOf((visitor) => post(route, visitor, sender));
      expect({ sender, answers }).toEqual({ sender, answers: byName((name) => expectedOf(route, "POST", name)) });
    }
  });
});

test.each([
  ["/sites", bulkBytesMax],
  ["/sites/import", importBytesMax],
  ["/sites/new", siteFormBytesMax],
  [`/sites/${site.id}/edit`, siteFormBytesMax],
])("the form %s may have %d bytes", async (path, bytesMax) => {
  const cookie = `sid=${visitors.agency.cookies.get("sid")}`;
  const headers = { cookie, origin: pages.url, "content-type": "application/x-www-form-urlencoded" };
  const send = (length: number) => fetch(`${pages.url}${path}`, { method: "POST", headers, body: "do=".padEnd(length, "x") });
  // The shorter one is read, and refused for its content.
  expect([(await send(bytesMax)).status, (await send(bytesMax + 1)).status]).toEqual([400, 413]);
});

test("the table has a route of every audience, with every answer", () => {
  const answers = posts.flatMap((route) => visitorNames.map((name) => expectedOf(route, "POST", name)));
  expect(new Set(answers)).toEqual(new Set(["answered", "signIn", "signInFirst", "adminOnly", "sitesReadOnly", "notFound"]));
  expect(new Set(routes.map(({ audience }) => audience)).size).toBe(8);
});

test("the first part of a private path names its audiences", () => {
  const parts = Map.groupBy(routes, ({ path }) => path.split("/")[1]);
  const audiencesOf = (part: string) => [...new Set(parts.get(part)?.map(({ audience }) => audience))].sort();
  expect(["account", "admin", "brands", "clients", "hosts", "proofs", "scans", "sites"].map((part) => [part, audiencesOf(part)])).toEqual([
    ["account", ["accounts"]],
    ["admin", ["administrators"]],
    ["brands", ["accounts"]],
    ["clients", ["members"]],
    ["hosts", ["readers"]],
    ["proofs", ["readers"]],
    ["scans", ["readers"]],
    ["sites", ["editors", "members", "siteEditors", "siteMembers"]],
  ]);
});

describe("the program does not start", () => {
  const get: PageHandler = () => new Response();

  test.each([undefined, "owners", "toString"])("with a route of the audience %s", (audience) => {
    const route = { path: "/lost", audience, get } as unknown as PageRoute;
    expect(() => guardedRoutes([route])).toThrow("the route /lost has no audience");
  });

  test("with two routes of one path, whatever their placeholders are called", () => {
    const [one, other] = ["/things/:id", "/things/:name"].map((path): PageRoute => ({ path, audience: "everybody", get }));
    const last: PageRoute = { path: "/things/new", audience: "everybody", get };
    if (one === undefined || other === undefined) throw new Error("no routes");
    expect(guardedRoutes([one, last]).map(({ path }) => path)).toEqual(["/things/:id", "/things/new"]);
    expect(() => guardedRoutes([one, last, other])).toThrow("two routes have the path /things/:name");
  });
});

test("a handler of another audience does not compile", () => {
  const path = "/x";
  const [forAccounts, forAdministrators, forEditors]: [GetFor<"accounts">, GetFor<"administrators">, GetFor<"editors">] = [
    answer,
    answer,
    answer,
  ];
  const [form, siteForm]: [PostFor<"members">, PostFor<"siteMembers">] = [answer, answer];
  const wrong: readonly PageRoute[] = [
    // @ts-expect-error guests have no account
    { path, audience: "everybody", get: forAccounts },
    // @ts-expect-error the same for readers
    { path, audience: "readers", get: forAccounts },
    // @ts-expect-error an account need not be an administrator
    { path, audience: "accounts", get: forAdministrators },
    // @ts-expect-error viewers may not change the sites
    { path, audience: "members", get: forEditors },
    // @ts-expect-error the form of a site gets no owner
    { path, audience: "siteMembers", post: form },
    // @ts-expect-error the form of an owner gets no site
    { path, audience: "members", post: siteForm },
    // @ts-expect-error no audience
    { path, get: answer },
  ];
  expect(wrong).toHaveLength(7);

  function answer(): Response {
    return new Response();
  }
});
