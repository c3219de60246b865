/** Sends a fixed series of requests to every operation of the API. Each answer becomes a line of text. */
import type { DecodedLogo } from "../../src/base/documents.ts";
import { newSiteState } from "../../src/store/site-runs.ts";
import { type AccountClient, accountClient, addViewer, startAccountApi } from "./account-api.ts";
import type { ApiUnderTest } from "./api.ts";
import { pngImage } from "./images.ts";

/** Method, path below /api/v1, body, and headers. An object becomes JSON; null sends nothing. */
type Step = readonly [
  method: string,
  path: string,
  body?: object | string | Uint8Array<ArrayBuffer> | null,
  headers?: Record<string, string>,
];

const lineCharsMax = 240;
const long = "x".repeat(300);
/** Values that each field of a body gets in turn. */
const values: readonly unknown[] = [null, 7, "x", "", " ", true, [], [7], ["x"], { a: 1 }, long];

/** A body of each JSON operation, and the limit of its length in bytes. `%` in a path is a site, channel or rule of the account. */
const bodies: readonly (readonly [method: string, path: string, body: Readonly<Record<string, unknown>>, bytesMax?: number])[] = [
  ["POST", "/scans", { url: "https://site.example/", location: "local" }],
  ["POST", "/scans/bulk", { urls: ["https://site.example/"], location: "local" }, 2_097_152],
  [
    "PATCH",
    "/sites/1",
    { url: "https://a.example/", name: "A", pages: ["https://a.example/p"], client: "M", tags: ["t"], location: "local", paused: true },
  ],
  ["PATCH", "/sites/1", { schedule: { every: "daily" } }],
  ["PUT", "/sites/1/accepted/security.a.b", { reason: "x", until: "2099-12-31" }],
  ["POST", "/sites/bulk?dryRun=true", { sites: [{ url: "https://b.example/" }] }, 2_097_152],
  ["PATCH", "/sites/bulk", { ids: [1], change: { paused: true } }, 2_097_152],
  ["POST", "/sites/bulk/scan", { ids: [99] }, 2_097_152],
  ["DELETE", "/sites/bulk", { ids: [99] }, 2_097_152],
  ["PATCH", "/channels/1", { name: "N", target: "https://hooks.example/b" }],
  ["PATCH", "/rules/1", { scope: { kind: "all" }, events: ["site.recovered"], severityMin: "low", channelIds: [1] }],
  ["PUT", "/brand", { name: "Agency", accent: "#14501e", footer: "1 Street" }],
  ["PATCH", "/members/1", { role: "editor" }],
  ["POST", "/invitations", { email: "client@bakery.example", role: "viewer" }],
];

/** Bodies of operations that add a record: their accepted variants would exceed limits. */
const adding: typeof bodies = [
  ["POST", "/sites", { url: "https://taken.example/", name: "A", pages: [], client: "M", tags: ["t"], location: "local", paused: true }],
  ["POST", "/sites", { url: "https://taken.example/", schedule: { every: "daily" } }],
  ["POST", "/channels", { kind: "webhook", name: "N", target: "ftp://refused.example/" }],
  ["POST", "/rules", { scope: { kind: "all" }, severityMin: "low", events: ["site.recovered"], channelIds: [99] }],
];

function malformed([method, path, body, bytesMax = 16_384]: (typeof bodies)[number]): readonly Step[] {
  const [first = ""] = Object.keys(body);
  return [
    [method, path, body],
    [method, path, ""],
    [method, path, "{"],
    [method, path, JSON.stringify(body), { "content-type": "text/plain" }],
    [method, path, "[]"],
    [method, path, "null"],
    [method, path, "7"],
    [method, path, {}],
    [method, path, { ...body, stray: 1 }],
    [method, path, { [`${first}x`]: body[first] }],
    [method, path, `${"[".repeat(101)}${"]".repeat(101)}`],
    [method, path, `{"${first}":1,${JSON.stringify(body).slice(1)}`],
    [method, path, " ".repeat(bytesMax + 1)],
    ...Object.keys(body).map((name): Step => [method, path, Object.fromEntries(Object.entries(body).filter(([each]) => each !== name))]),
    ...Object.keys(body).flatMap((name) => values.map((value): Step => [method, path, { ...body, [name]: value }])),
  ];
}

const lists: readonly string[] = ["/scans", "/sites", "/sites/1/events", "/events", "/deliveries"];
const badQueries = ["limit=1", "limit=0", "limit=101", "limit=x", "limit=", "cursor=x", "cursor=5&limit=2", "limit=1&limit=2", "other=1"];
const unknown: readonly Step[] = [
  ...["sites", "channels", "rules", "deliveries"].flatMap((noun): Step[] => [
    ["GET", `/${noun}/99`],
    ["GET", `/${noun}/x`],
  ]),
  ...["sites", "channels", "rules", "members"].map((noun): Step => ["DELETE", `/${noun}/99`]),
  ...["sites", "channels", "rules", "members"].map((noun): Step => ["PATCH", `/${noun}/99`, "{"]),
  ...["test", "rotate-secret", "enable", "disable", "confirmation"].map((verb): Step => ["POST", `/channels/99/${verb}`]),
  ["POST", "/sites/99/scan"],
  ["GET", "/sites/99/events"],
  ["GET", "/sites/99/history"],
  ["PUT", "/sites/99/accepted/security.a.b", { reason: "x" }],
  ["DELETE", "/sites/99/accepted/security.a.b"],
  ["POST", "/deliveries/99/retry"],
  ["DELETE", "/invitations/nobody@bakery.example"],
  ["GET", "/clients/Nobody/report.html"],
  ["GET", "/clients/Nobody/report.pdf"],
  ["GET", "/clients/Nobody/report.csv"],
  ["GET", "/nothing"],
  ["PUT", "/sites"],
  ["GET", "/sites/bulk"],
  ["GET", "/sites/bulk/scan"],
  ["GET", "/scans/bulk"],
  ["OPTIONS", "/sites/1"],
  ["HEAD", "/sites"],
  ["HEAD", "/sites/bulk"],
];

const sites: readonly Step[] = [
  ["POST", "/sites", { url: "https://a.example/", client: "M", tags: ["t"], schedule: { cron: "0 3 * * 1", zone: "UTC" } }],
  ["POST", "/sites", { url: "https://taken.example/" }],
  ["POST", "/sites", { url: "ftp://a.example/", paused: "yes", tags: ["a,b", 7], pages: [7], schedule: { every: "x" }, location: "x" }],
  ["POST", "/sites", { url: "https://c.example/", schedule: { every: "daily", cron: "0 3 * * 1" } }],
  ["POST", "/sites", { url: "https://c.example/", schedule: { cron: "x", zone: "UTC" } }],
  ["POST", "/sites", { url: " https://c.example/ ", name: ` ${"n".repeat(100)} `, tags: Array.from({ length: 25 }, () => "t") }],
  [
    "POST",
    "/sites",
    { url: "https://d.example/", name: null, pages: null, client: null, tags: null, location: null, schedule: null, paused: null },
  ],
  ["GET", "/sites?client=M&tag=t&q=a.example"],
  ["GET", `/sites?q=${long}`],
  ["GET", "/sites?client=M&client=N"],
  ["GET", "/sites/1"],
  ["PUT", "/sites/1/accepted/malformed", { reason: "", until: "2001-01-01" }],
  ["DELETE", "/sites/1/accepted/security.z.z"],
  ["POST", "/sites/1/scan"],
  ["POST", "/sites/1/scan"],
  ["POST", "/sites/bulk?dryRun=true", "url\nhttps://csv.example/\nftp://x/\n", { "content-type": "text/csv" }],
  ["POST", "/sites/bulk", "https://csv.example/,Name,Client,tag\n", { "content-type": "Text/CSV; charset=utf-8" }],
  ["POST", "/sites/bulk", "", { "content-type": "text/csv" }],
  ["POST", "/sites/bulk", " ".repeat(1_048_577), { "content-type": "text/csv" }],
  ["POST", "/sites/bulk?dryRun=maybe", { sites: [] }],
  ["POST", "/sites/bulk?dryRun=true&dryRun=true", { sites: [] }],
  ["POST", "/sites/bulk", { sites: [{ url: "https://e.example/" }, { url: "https://a.example/" }, 7, { stray: 1 }, { name: 7 }, {}] }],
  [
    "PATCH",
    "/sites/bulk",
    { ids: [1, 99, 1], change: { addTags: ["new"], removeTags: ["t"], client: null, schedule: { every: "daily" } } },
  ],
  ...[
    { paused: null },
    { paused: 7, client: 7, addTags: "x", removeTags: [7] },
    { addTags: null },
    { schedule: null },
    { stray: 1 },
    {},
  ].map((change): Step => ["PATCH", "/sites/bulk", { ids: [1], change }]),
  ["PATCH", "/sites/bulk", { ids: Array.from({ length: 1_001 }, (_, at) => at + 1), change: { paused: true } }],
  ["POST", "/sites/bulk/scan", { ids: [2, 2, 99] }],
];

const channels: readonly Step[] = [
  ["POST", "/channels", { kind: "webhook", target: "https://hooks.example/a" }],
  ["POST", "/channels", { kind: "mail", name: "Team", target: "Team <team@agency.example>" }],
  ["POST", "/channels", { kind: "mail", name: "Team", target: "team@agency.example" }],
  ["POST", "/channels", { kind: "webhook", name: "Dead", target: "http://127.0.0.1:9/" }],
  ["POST", "/channels", { kind: "webhook", target: "http://10.0.0.1/" }],
  ["POST", "/channels", { kind: "webhook", name: null, target: "https://hooks.example/c" }],
  ["POST", "/channels", { kind: "webhook", name: "a\nb", target: "https://hooks.example/c" }],
  ["GET", "/channels"],
  ["GET", "/channels/1"],
  ["POST", "/channels/2/test"],
  ["POST", "/channels/3/test"],
  ["POST", "/channels/1/rotate-secret"],
  ["POST", "/channels/2/rotate-secret"],
  ["POST", "/channels/1/disable"],
  ["POST", "/channels/1/enable"],
  ["POST", "/channels/2/confirmation"],
  ["POST", "/channels/1/confirmation"],
  ["PATCH", "/channels/2", { target: "other@agency.example" }],
  ["POST", "/rules", { events: ["site.recovered", "site.recovered"], channelIds: [1], scope: { kind: "site", siteId: 1 } }],
  ["POST", "/rules", { events: ["finding.opened"], channelIds: [3, 1], scope: null, severityMin: null }],
  ...[
    { kind: "x" },
    { knd: "tag" },
    { kind: "site", siteId: 99 },
    { kind: "site", siteId: "1" },
    { kind: "site" },
    { kind: "tag" },
    { kind: "tag", tag: 7 },
    { kind: "tag", tag: " " },
    { kind: "tag", tag: long },
    { kind: "tag", client: "M" },
    { kind: "client", client: long },
    { kind: "client", client: " M " },
    { kind: "all", stray: 1 },
  ].map((scope): Step => ["PATCH", "/rules/1", { scope }]),
  ["PATCH", "/rules/1", { events: ["site.recovered", "x"] }],
  ["PATCH", "/rules/1", { channelIds: [1, "3"] }],
  ["GET", "/rules"],
  ["GET", "/rules/1"],
];

const agency: readonly Step[] = [
  ["GET", "/brand"],
  ["DELETE", "/brand"],
  ["PUT", "/brand/logo", new Uint8Array([1])],
  ["PUT", "/brand", { name: " Agency ", accent: "#14501E", footer: null }],
  ["PUT", "/brand", { name: "", accent: "#ffee00", footer: "a\nb" }],
  ["GET", "/brand/logo"],
  ["DELETE", "/brand/logo"],
  ["PUT", "/brand/logo", new Uint8Array([1, 2, 3])],
  ["GET", "/brand/logo"],
  ["GET", "/brand"],
  ["GET", "/members"],
  ["PATCH", "/members/1", { role: "editor" }],
  ["POST", "/invitations", { email: " New@bakery.example ", role: "editor" }],
  ["POST", "/invitations", { email: "first@assay.test", role: "viewer" }],
  ["POST", "/invitations", { email: "customer-1@assay.test", role: "viewer" }],
  ["GET", "/invitations"],
  ["DELETE", "/invitations/new@bakery.example"],
  ["GET", "/clients"],
  ["GET", "/clients/Client/report.html"],
  ["GET", "/clients/Client/report.pdf"],
  ["GET", "/clients/M/report.html?locale=fr"],
  ["GET", "/clients/M/report.html?locale=en-gb&locale=en-gb"],
  ["GET", "/clients/M/report.pdf?locale=de-de"],
  ["DELETE", "/metrics-token"],
  ["POST", "/metrics-token"],
  ["DELETE", "/metrics-token"],
];

/** `SCAN` is an ended scan, `WAITING` one in the queue. */
const scans: readonly Step[] = [
  ["POST", "/scans", { url: "https://site.example/", location: "mars" }],
  ["POST", "/scans", { url: "ftp://site.example/" }],
  ["POST", "/scans", { url: "https://site.example/key" }, { "idempotency-key": "one" }],
  ["POST", "/scans", { url: "https://site.example/key" }, { "idempotency-key": '"one"' }],
  ["POST", "/scans", { url: "https://site.example/other" }, { "idempotency-key": "one" }],
  ["POST", "/scans", { url: "https://site.example/other" }, { "idempotency-key": "a b" }],
  ["POST", "/scans/bulk", { urls: ["https://site.example/", "https://site.example/", "ftp://x/", 7] }],
  ["POST", "/scans/bulk", { urls: Array.from({ length: 1_001 }, () => "https://site.example/") }],
  ...["", "/security", "/result"].flatMap((part): Step[] => [
    ["GET", `/scans/SCAN${part}`],
    ["GET", `/scans/WAITING${part}`],
    ["GET", `/scans/unknown${part}`],
    ["GET", `/scans/SCAN${part}?locale=de-de`],
    ["GET", `/scans/SCAN${part}?locale=fr`],
    ["GET", `/scans/SCAN${part}?locale=`],
    ["GET", `/scans/SCAN${part}?locale=en-gb&locale=en-gb`],
    ["GET", `/scans/SCAN${part}?other=1`],
    ["GET", `/scans/SCAN${part}`, null, { "if-none-match": "*" }],
  ]),
  ...[
    "json",
    "csv?csv=checks",
    "csv?csv=x",
    "junit.xml?strict=true",
    "md?strict=yes",
    "md?brand=other",
    "md?locale=fr",
    "exe",
    "md?csv=checks&csv=checks",
  ].map((file): Step => ["GET", `/scans/SCAN/report.${file}`]),
  ["GET", "/scans/SCAN/report.pdf"],
  ["GET", "/scans/SCAN/report.html?brand=own"],
  ["GET", "/scans/WAITING/report.json"],
  ["GET", "/scans/unknown/report.json"],
  ["GET", "/checks"],
  ["POST", "/admin/scans/SCAN/cancel"],
  ["DELETE", "/scans/SCAN"],
  ["DELETE", "/scans/WAITING"],
  ["DELETE", "/scans/WAITING"],
  ["DELETE", "/scans/unknown"],
];

const removals: readonly Step[] = [
  ["POST", "/channels/1/disable"],
  ["POST", "/deliveries/1/retry"],
  ["POST", "/channels/1/enable"],
  ["POST", "/deliveries/1/retry"],
  ["GET", "/deliveries/1"],
  ["GET", "/sites/1/history"],
  ["DELETE", "/rules/1"],
  ["DELETE", "/channels/3"],
  ["POST", "/deliveries/1/retry"],
  ["DELETE", "/sites/1/accepted/security.a.b"],
  ["DELETE", "/sites/1"],
  ["DELETE", "/sites/bulk", { ids: [2, 99] }],
  ["DELETE", "/members/1"],
  ["DELETE", "/brand/logo"],
  ["DELETE", "/brand"],
];

const drawn: DecodedLogo = { png: new Uint8Array(pngImage(30, 20, [255, 0, 0, 255])), width: 30, height: 20 };

/** One line for each request, with status, headers that say something, and body. Random values and times are replaced. */
export async function recordedAnswers(): Promise<readonly string[]> {
  const api = await startAccountApi({
    config: { public_url: "https://assay.example" },
    decodeLogo: async (bytes) => (bytes.length === 1 ? "wrong-type" : drawn),
    printPdf: async () => "failed",
    mail: { memberInvitation: async () => "sent" },
    cancelScan: async (token) => (token === "unknown" || token === "over" ? token : "cancelled"),
  });
  const client = await accountClient(api);
  const { token: scan } = await api.start(client.token);
  await api.finish();
  const { token: waiting } = await api.start(client.token);
  const lines: string[] = [];
  const send = async (steps: readonly Step[]) => {
    for (const step of steps) lines.push(await lineOf(api, client, step, { SCAN: scan, WAITING: waiting }));
  };
  await send([...scans, ...unknown, ...sites, ...channels]);
  await conclude(api);
  await addViewer(api, client);
  await send(agency);
  await send([...bodies, ...adding].flatMap(malformed));
  await send(lists.flatMap((path) => badQueries.map((query): Step => ["GET", `${path}?${query}`])));
  await send(removals);
  const free = { ...client, token: (await api.customer("free")).token };
  for (const path of ["checks", "channels", "rules", "members", "invitations", "clients", "metrics-token"])
    lines.push(await lineOf(api, free, [path === "metrics-token" ? "POST" : "GET", `/${path}`], {}));
  const admin = await api.store.apiTokens.create({ accountId: 1, name: "test", now: new Date() });
  for (const token of ["SCAN", "unknown", "over"])
    lines.push(await lineOf(api, { ...client, token: admin.value }, ["POST", `/admin/scans/${token}/cancel`], { SCAN: scan }));
  await api.stop();
  return lines;
}

/** Ends the run of the first site with an event, so that there is a delivery. */
async function conclude({ store }: ApiUnderTest): Promise<void> {
  const run = store.siteRuns.find(1);
  if (run === undefined) throw new Error("no run");
  const [{ token } = { token: "" }] = run.scans;
  const history = { at: new Date().toISOString(), token, score: 88, band: "good", rank: "strong", open: 1 } as const;
  const reading = { ...history, certificateExpiresAt: null };
  const events = [
    {
      type: "finding.opened",
      token,
      data: { findings: [{ code: "security.a.b", checkKey: "a", severity: "critical", urls: [] }] },
    } as const,
  ];
  const rules = { algorithmVersion: 1, catalogVersion: "v", judgedAt: history.at };
  await store.siteRuns.conclude(run, () => ({ state: newSiteState, site: { reading, trend: [88] }, events, rules, history }), new Date());
}

async function lineOf(
  api: ApiUnderTest,
  { token }: AccountClient,
  [method, path, body = null, headers = {}]: Step,
  tokens: Readonly<Record<string, string>>,
): Promise<string> {
  const named = path.replace(/\b(SCAN|WAITING)\b/, (word) => tokens[word] ?? word);
  const sent = typeof body === "object" && body !== null && !(body instanceof Uint8Array) ? JSON.stringify(body) : body;
  const json = body === null ? {} : { "content-type": "application/json" };
  const response = await api.request(`/api/v1${named}`, {
    method,
    token,
    headers: { ...json, ...headers },
    ...(sent !== null && { body: sent }),
  });
  const shown = ["allow", "content-type", "idempotency-replayed", "location", "retry-after"].flatMap((name) => {
    const value = response.headers.get(name);
    return value === null || value === "application/json; charset=utf-8" ? [] : [`${name}: ${value}`];
  });
  const request = [method, path, ...(sent === null ? [] : [shortened(String(sent))]), ...Object.values(headers)].join(" ");
  const text = withoutChance(await response.text());
  // A page has times in words.
  const answer = text.startsWith("<!") ? "HTML" : shortened(text);
  return withoutChance(`${request} -> ${[response.status, ...shown, answer].join(" ")}`);
}

/** A long text becomes its beginning and a hash. */
function shortened(text: string): string {
  const line = text.replaceAll(long, "LONG").replaceAll(/[^ -~]/g, "|");
  if (line.length <= lineCharsMax) return line;
  return `${line.slice(0, lineCharsMax / 2)}... ${text.length} ${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16)}`;
}

function withoutChance(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "TIME")
    .replaceAll(/whsec_[\w+/=]+/g, "SECRET")
    .replaceAll(/"ms":[\d.]+/g, '"ms":MS')
    .replaceAll(/\b(evt_)?(?=\w*[a-z])(?=\w*[A-Z])(\w{22}|\w{43})\b/g, "TOKEN");
}
