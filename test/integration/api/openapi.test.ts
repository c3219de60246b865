/** The description is valid OpenAPI 3.1, covers every route, and matches the served bodies. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { FormatRegistry, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { models } from "../../../src/api/schemas.ts";
import { type ApiUnderTest, startApi } from "../../support/api.ts";

const root = resolve(import.meta.dirname, "../../..");
FormatRegistry.Set("date-time", (text) => new Date(text).toISOString() === text);

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: { readonly enum?: readonly string[] } }[];
  readonly requestBody?: unknown;
  readonly responses: Record<string, unknown>;
}

let api: ApiUnderTest;
let document: { openapi: string; paths: Record<string, Record<string, Described>> };

beforeAll(async () => {
  api = await startApi();
  document = (await (await api.request("/api/v1/openapi.json")).json()) as typeof document;
});
afterAll(() => api.stop());

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

describe("its schemas match the bodies", () => {
  async function expectBody(schema: TSchema, response: Response): Promise<void> {
    expect([...Value.Errors(schema, await response.json())].map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
  }

  test("of scans in every status", async () => {
    const { token } = await api.customer();
    const started = await api.start(token);
    const expectBodies = async () => {
      for (const locale of ["en-gb", "de-de"]) {
        await expectBody(models.SecurityResult, await api.request(`${started.statusUrl}/security?locale=${locale}`, { token }));
        await expectBody(models.FullReport, await api.request(`${started.statusUrl}?locale=${locale}`, { token }));
      }
      await expectBody(models.ScanList, await api.request("/api/v1/scans", { token }));
    };
    expect([...Value.Errors(models.ScanStarted, started)]).toEqual([]);
    await expectBodies();
    await api.finish();
    await expectBodies();
    await expectBody(models.StoredScan, await api.request(`${started.statusUrl}/result`, { token }));
    await expectBody(models.CheckList, await api.request("/api/v1/checks", { token }));
    const failed = await api.start(token);
    await api.fail("timeout");
    await expectBody(models.SecurityResult, await api.request(`${failed.statusUrl}/security`, { token }));
    await expectBody(models.FullReport, await api.request(failed.statusUrl, { token }));
    await expectBody(models.StoredScan, await api.request(`${failed.statusUrl}/result`, { token }));
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
    await expectBody(models.BulkStarted, response);
    await api.finish();
  });
  test("of errors", async () => {
    const { token } = await api.customer();
    await expectBody(models.Error, await api.request("/api/v1/scans"));
    await expectBody(models.Error, await api.request("/api/v1/scans", { token, method: "POST" }));
    await expectBody(models.Error, await api.request("/api/v1/scans/x", { token }));
  });
});

test("states the limit of header values of this installation", async () => {
  const raised = await startApi({ headerCharsMax: 4_096 });
  const read = async (of: ApiUnderTest) => JSON.stringify((await (await of.request("/api/v1/openapi.json")).json()).info);
  expect(await read(raised)).toContain("first 4096 characters of a response header (scan.header_chars_max)");
  expect(await read(api)).toContain("first 512 characters of a response header");
  await raised.stop();
});
