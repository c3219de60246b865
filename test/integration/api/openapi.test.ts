/** The description is valid OpenAPI 3.1, covers every route, and matches the served bodies. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { FormatRegistry, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { webhookSchemas } from "../../../src/api/channels/webhooks.ts";
import { openapiDocument } from "../../../src/api/openapi.ts";
import { eventTypes } from "../../../src/store/notification-rules.ts";
import { newSiteState } from "../../../src/store/site-runs.ts";
import { accountClient, addViewer } from "../../support/account-api.ts";
import { type ApiUnderTest, startApi } from "../../support/api.ts";
import { pngImage } from "../../support/images.ts";

// reads: node_modules/
const root = resolve(import.meta.dirname, "../../..");
FormatRegistry.Set("date-time", (text) => new Date(text).toISOString() === text);

const models: Readonly<Record<string, TSchema>> = openapiDocument().components.schemas;

function modelOf(name: string): TSchema {
  const schema = models[name];
  if (schema === undefined) throw new Error(`no body is named ${name}`);
  return schema;
}

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema: { readonly enum?: readonly string[]; readonly description?: string };
  }[];
  readonly requestBody?: { readonly required?: boolean };
  readonly responses: Record<string, unknown>;
}

let api: ApiUnderTest;
let document: { openapi: string; paths: Record<string, Record<string, Described>> };

beforeEach(async () => {
  api = await startApi();
  document = (await (await api.request("/api/v1/openapi.json")).json()) as typeof document;
});
afterEach(() => api.stop());

test("is OpenAPI 3.1", () => expect(document.openapi).toMatch(/^3\.1\./));

test("passes Redocly's recommended rules without a warning", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-openapi-"));
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(document));
  const { exitCode, stderr } = Bun.spawnSync(
    [process.execPath, join(root, "node_modules/@redocly/cli/bin/cli.js"), "lint", "--max-problems", "20", file],
    {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
  );
  rmSync(folder, { recursive: true });
  expect(stderr.toString()).toContain("Your API description is valid");
  expect(stderr.toString()).not.toContain("warning.");
  expect(exitCode).toBe(0);
});

test("describes exactly the routes of the API", () => {
  const served = api.api.routes
    .filter(({ method, path }) => path.startsWith("/api/v1/") && !path.endsWith("/openapi.json") && method !== "ALL")
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [] }]) => {
      const extensions = parameters.find(({ name }) => name === "extension")?.schema.enum ?? [""];
      return extensions.map((extension) => `${method.toUpperCase()} ${path.replace("{extension}", extension)}`);
    }),
  );
  expect(described.sort()).toEqual(served.sort());
});

test("every operation lists the common refusals", () => {
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const hasInput = operation.requestBody !== undefined || operation.parameters?.some((each) => each.in === "query") === true;
    for (const status of ["401", "403", "429", ...(hasInput ? ["400"] : [])])
      expect(Object.keys(operation.responses), operation.operationId).toContain(status);
  }
});

test("describes the Location of everything that is added", () => {
  const added = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ responses }) => responses["201"] !== undefined);
  const silent = added.filter(
    ({ responses }) => !Object.keys((responses["201"] as { headers?: object }).headers ?? {}).includes("Location"),
  );
  expect(added.length).toBeGreaterThan(3);
  // The token has no address of its own.
  expect(silent.map(({ operationId }) => operationId)).toEqual(["issueMetricsToken"]);
});

test("describes every parameter of a query", () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const query = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.filter((each) => each.in === "query").map(({ name, schema }) => ({ name: `${operationId} ${name}`, ...schema })),
  );
  expect(query.length).toBeGreaterThan(10);
  expect(query.filter(({ description = "" }) => description === "").map(({ name }) => name)).toEqual([]);
});

test("requires the parameters of paths only, and every body", () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const wrong = operations.flatMap(({ operationId, parameters = [], requestBody }) => [
    ...parameters.filter((each) => (each.required ?? false) !== (each.in === "path")).map(({ name }) => `${operationId} ${name}`),
    ...(requestBody === undefined || requestBody.required === true ? [] : [`${operationId} body`]),
  ]);
  expect(wrong).toEqual([]);
});

describe("its schemas match the bodies", () => {
  async function expectBody(schema: TSchema, response: Response): Promise<void> {
    expect([...Value.Errors(schema, await response.json())].map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
  }

  test("of scans in every status", async () => {
    const { token } = await api.customer();
    const started = await api.start(token);
    const expectBodies = async () => {
      for (const locale of ["en-gb", "de-de"]) {
        await expectBody(modelOf("SecurityResult"), await api.request(`${started.statusUrl}/security?locale=${locale}`, { token }));
        await expectBody(modelOf("FullReport"), await api.request(`${started.statusUrl}?locale=${locale}`, { token }));
      }
      await expectBody(modelOf("ScanList"), await api.request("/api/v1/scans", { token }));
    };
    expect([...Value.Errors(modelOf("ScanStarted"), started)]).toEqual([]);
    await expectBodies();
    await api.finish();
    await expectBodies();
    await expectBody(modelOf("StoredScan"), await api.request(`${started.statusUrl}/result`, { token }));
    await expectBody(modelOf("CheckList"), await api.request("/api/v1/checks", { token }));
    const failed = await api.start(token);
    await api.fail("timeout");
    await expectBody(modelOf("SecurityResult"), await api.request(`${failed.statusUrl}/security`, { token }));
    await expectBody(modelOf("FullReport"), await api.request(failed.statusUrl, { token }));
    await expectBody(modelOf("StoredScan"), await api.request(`${failed.statusUrl}/result`, { token }));
  });
  test("of scans that are started together", async () => {
    const { token } = await api.customer();
    const urls = ["https://site.example/", "ftp://site.example/", 7];
    const response = await api.request("/api/v1/scans/bulk", {
      method: "POST",
      token,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ urls }),
    });
    expect(response.status).toBe(200);
    await expectBody(modelOf("BulkStarted"), response);
    await api.finish();
  });
  test("of sites, in each form", async () => {
    const client = await accountClient(api);
    const expectCall = async (schema: TSchema, ...call: Parameters<typeof client.call>) =>
      expect([...Value.Errors(schema, (await client.call(...call)).body)].map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
    const url = "https://site.example/";
    await expectCall(modelOf("Site"), "POST", "/sites", { url, client: "M", tags: ["shop"], schedule: { cron: "0 3 * * 1", zone: "UTC" } });
    const { id } = (await client.call("GET", "/sites")).body.items[0] ?? { id: 0 };
    await expectCall(modelOf("SiteRun"), "POST", `/sites/${id}/scan`);
    await expectCall(modelOf("Site"), "GET", `/sites/${id}`);
    await expectCall(modelOf("Acceptance"), "PUT", `/sites/${id}/accepted/security.a.b`, { reason: "x" });
    await expectCall(modelOf("SiteList"), "GET", "/sites");
    const run = api.store.siteRuns.find(id);
    if (run === undefined) throw new Error("no run");
    const { token } = await api.finish();
    const history = { at: new Date().toISOString(), token, score: 88, band: "good", rank: "strong", open: 1 } as const;
    const reading = { ...history, certificateExpiresAt: null };
    const events = [{ type: "site.recovered", token, data: { since: history.at } } as const];
    const rules = { algorithmVersion: 1, catalogVersion: "v", judgedAt: history.at };
    await client.call("POST", "/channels", { kind: "webhook", target: "https://hooks.example/" });
    const channelIds = (await client.call("GET", "/channels")).body.items.map((channel) => channel.id);
    await expectCall(modelOf("Rule"), "POST", "/rules", { events: ["site.recovered"], channelIds, scope: { kind: "site", siteId: id } });
    await api.store.siteRuns.conclude(
      run,
      () => ({ state: newSiteState, site: { reading, trend: [88] }, events, rules, history }),
      new Date(),
    );
    await expectCall(modelOf("SiteHistory"), "GET", `/sites/${id}/history`);
    await expectCall(modelOf("EventList"), "GET", `/sites/${id}/events`);
    await expectCall(modelOf("EventList"), "GET", "/events");
    await expectCall(modelOf("RuleList"), "GET", "/rules");
    await expectCall(modelOf("DeliveryList"), "GET", "/deliveries");
    await expectCall(modelOf("Delivery"), "GET", `/deliveries/${(await client.call("GET", "/deliveries")).body.items[0]?.id}`);
    await expectCall(modelOf("BulkSitesAdded"), "POST", "/sites/bulk?dryRun=true", { sites: [{ url: "https://b.example/" }, { url }, 7] });
    await expectCall(modelOf("BulkSitesAdded"), "POST", "/sites/bulk", { sites: [{ url: "https://b.example/" }, { url }, 7] });
    await expectCall(modelOf("BulkSitesChanged"), "PATCH", "/sites/bulk", { ids: [id, 999_999], change: { paused: true } });
    await expectCall(modelOf("BulkSitesScanned"), "POST", "/sites/bulk/scan", { ids: [id, 999_999] });
    await expectCall(modelOf("BulkSitesRemoved"), "DELETE", "/sites/bulk", { ids: [id, 999_999] });
  });
  test("of channels, in each form", async () => {
    const client = await accountClient(api);
    const bodyOf = async (schema: TSchema, ...call: Parameters<typeof client.call>) => {
      const { body } = await client.call(...call);
      expect([...Value.Errors(schema, body)].map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
      return body;
    };
    const { id } = await bodyOf(modelOf("ChannelAdded"), "POST", "/channels", { kind: "mail", target: "team@agency.example" });
    await bodyOf(modelOf("ChannelConfirmation"), "POST", `/channels/${id}/confirmation`);
    const hook = await bodyOf(modelOf("ChannelAdded"), "POST", "/channels", { kind: "webhook", target: "http://127.0.0.1:9/" });
    await bodyOf(modelOf("ChannelTest"), "POST", `/channels/${hook.id}/test`);
    await bodyOf(modelOf("ChannelWithSecret"), "POST", `/channels/${hook.id}/rotate-secret`);
    await bodyOf(modelOf("Channel"), "POST", `/channels/${hook.id}/disable`);
    await bodyOf(modelOf("Channel"), "GET", `/channels/${hook.id}`);
    await bodyOf(modelOf("ChannelConfirmation"), "POST", `/channels/${hook.id}/enable`);
    await bodyOf(modelOf("ChannelList"), "GET", "/channels");
  });
  test("of brand, members and clients", async () => {
    const client = await accountClient(api);
    const expectCall = async (schema: TSchema, ...call: Parameters<typeof client.call>) =>
      expect([...Value.Errors(schema, (await client.call(...call)).body)].map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
    await expectCall(modelOf("Brand"), "PUT", "/brand", { name: "Agency", accent: "#14501e", footer: "1 Street" });
    await api.store.brands.change(client.accountId, (stored) => ({
      name: "Agency",
      accent: null,
      footer: null,
      ...stored,
      logoPng: pngImage(3, 2, "noise").toString("base64"),
    }));
    await expectCall(modelOf("Brand"), "GET", "/brand");
    await expectCall(modelOf("Invitation"), "POST", "/invitations", { email: "client@bakery.example", role: "viewer" });
    await expectCall(modelOf("InvitationList"), "GET", "/invitations");
    await addViewer(api, client);
    await expectCall(modelOf("MemberList"), "GET", "/members");
    await expectCall(modelOf("Member"), "PATCH", "/members/1", { role: "editor" });
    await client.call("POST", "/sites", { url: "https://site.example/", client: "M" });
    await expectCall(modelOf("ClientList"), "GET", "/clients");
    await expectCall(modelOf("MetricsToken"), "POST", "/metrics-token");
  });
  test("of errors", async () => {
    const { token } = await api.customer();
    await expectBody(modelOf("Error"), await api.request("/api/v1/scans"));
    await expectBody(modelOf("Error"), await api.request("/api/v1/scans", { token, method: "POST" }));
    await expectBody(modelOf("Error"), await api.request("/api/v1/scans/x", { token }));
  });
});

describe("its examples", () => {
  interface Media {
    readonly schema: { readonly $ref?: string };
    readonly example?: unknown;
  }
  interface Bodied {
    readonly content?: Readonly<Record<string, Media>>;
  }
  const operations = Object.values({ ...openapiDocument().paths }).flatMap((methods) => Object.values(methods) as Described[]);
  const schemaOf = ({ schema }: Media) => modelOf(schema.$ref?.split("/").at(-1) ?? "");

  test("are valid, and there for every answer with a body about sites, notifications and agencies", () => {
    const about = operations.filter(({ tags }) => tags.some((tag) => ["sites", "notifications", "agencies"].includes(tag)));
    expect(about.length).toBeGreaterThan(40);
    for (const { operationId, responses } of about)
      for (const [status, { content = {} }] of Object.entries(responses as Record<string, Bodied>)) {
        const media = content["application/json"];
        // The common refusals of all operations have none.
        if (media === undefined || ["401", "403", "429"].includes(status)) continue;
        expect(
          [...Value.Errors(schemaOf(media), media.example)].map(({ path, message }) => `${operationId} ${status} ${path}: ${message}`),
        ).toEqual([]);
      }
  });
  test("of webhooks are valid, one for each type of event", () => {
    expect(Object.keys(webhookSchemas).sort()).toEqual([...eventTypes, "channel.test"].sort());
    expect(Object.keys(openapiDocument().webhooks)).toEqual(Object.keys(webhookSchemas));
    for (const { schema, example } of Object.values(webhookSchemas)) expect([...Value.Errors(schema, example)]).toEqual([]);
  });
});

test("states the limit of header values of this installation", async () => {
  const raised = await startApi({ config: { "scan.header_chars_max": 4_096 } });
  const read = async (of: ApiUnderTest) => JSON.stringify((await (await of.request("/api/v1/openapi.json")).json()).info);
  expect(await read(raised)).toContain("first 4096 characters of a response header (scan.header_chars_max)");
  expect(await read(api)).toContain("first 512 characters of a response header");
  await raised.stop();
});
