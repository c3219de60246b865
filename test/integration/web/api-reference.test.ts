/** API reference: complete, generated from the OpenAPI document, with working curl commands. */
import { afterAll, describe, expect, test } from "vitest";
import { openapiDocument } from "../../../src/api/openapi.ts";
import { locales } from "../../../src/check/check.ts";
import { type ApiDocument, baseOf, curlOf, exampleBodyOf, fieldsOf, type Schema, typeOf } from "../../../src/web/reference/api-document.ts";

import { startApi } from "../../support/api.ts";
import { startPages } from "../../support/pages.ts";

const pages = await startPages();
afterAll(() => pages.stop());

const document: ApiDocument = openapiDocument();

async function html(locale: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await fetch(`${pages.url}/api?locale=${locale}`, { headers });
  expect(answer.status).toBe(200);
  return answer.text();
}

/** Content of code blocks, as a reader would copy it. */
function linesIn(page: string): readonly string[] {
  const unescaped = (text: string) =>
    text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return [...page.matchAll(/<code id="[^"]+">([^<]*)<\/code>/g)].map(([, text = ""]) => unescaped(text));
}

describe("/api", () => {
  test.each([...locales])("documents every request with parameters and responses, in %s", async (locale) => {
    const page = await html(locale);
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { operationId, parameters = [], responses }] of Object.entries(methods)) {
        const part = page.split(`<section id="${operationId}"`)[1]?.split("</section>")[0] ?? "";
        expect(part).toContain(`${method.toUpperCase()} ${path}</code>`);
        for (const { name } of parameters) expect(part).toContain(`>${name}</code>`);
        for (const status of Object.keys(responses)) expect(part).toContain(`<th scope="row">${status}</th>`);
      }
    expect(page).not.toContain("{{");
  });

  test("shows a real answer with all fields that are always there", async () => {
    const page = await html("en-gb");
    const [, text = ""] = /<pre[^>]*><code>(.*?)<\/code>/s.exec(page) ?? [];
    const example = JSON.parse(text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&"));
    expect(Object.keys(example).sort()).toEqual([...(document.components.schemas.SecurityResult?.required ?? [])].sort());
    expect([example.status, example.security.findings.length, text.length < 6_000]).toEqual(["finished", 1, true]);
  });

  test.each([...locales])("has one h1 and skips no level of headings, in %s", async (locale) => {
    const levels = [...(await html(locale)).matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toEqual([1]);
    expect(levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)).toEqual([]);
  });

  test("documents every field of every body; links to bodies have targets", async () => {
    const page = await html("en-gb");
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const part = page.split(`id="body-${name}"`)[1]?.split("</section>")[0] ?? "";
      const base = baseOf(schema, document.components.schemas);
      if (base !== null) expect(part).toContain(`<a href="#body-${base}">`);
      const named = Object.keys(document.components.schemas[base ?? ""]?.properties ?? {});
      for (const { path } of fieldsOf(schema, named)) expect(part).toContain(`>${path}</code>`);
    }
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${id}"`);
  });

  test("documents every webhook with its fields and an example", async () => {
    const page = await html("de-de");
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const part = page.split(`id="webhook-${type}"`)[1]?.split("</section>")[0] ?? "";
      for (const { path } of fieldsOf(post.requestBody.content["application/json"].schema)) expect(part).toContain(`>${path}</code>`);
      expect(part).toContain(`&quot;type&quot;: &quot;${type}&quot;`);
    }
  });

  test("documents shared fields once", async () => {
    expect(baseOf(document.components.schemas.FullReport ?? {}, document.components.schemas)).toBe("SecurityResult");
    expect((await html("en-gb")).match(/>security\.score<\/code>/g)).toHaveLength(1);
  });

  test("marks English text on translated pages", async () => {
    expect(await html("de-de")).toContain('<span lang="en">Start a scan.</span>');
    expect(await html("en-gb")).not.toContain('<span lang="en">');
  });

  test("uses the origin by which the visitor reached the server", async () => {
    expect(linesIn(await html("en-gb"))).toContain(`BASE=${pages.url}\nTOKEN=assay_...`);
  });
});

test("its curl commands work in a shell", async () => {
  const api = await startApi();
  const customer = await api.customer();
  const [start = ""] = linesIn(await html("en-gb")).filter((lines) => lines.includes("-d '"));
  const run = async (lines: string, more: Readonly<Record<string, string>> = {}) => {
    const env = { PATH: process.env.PATH ?? "", BASE: `http://127.0.0.1:${api.port}`, TOKEN: customer.token, ...more };
    const shell = Bun.spawn(["sh", "-c", lines.replace("curl ", "curl -s ")], { env, stdout: "pipe" });
    return JSON.parse(await new Response(shell.stdout).text());
  };
  const { token } = await run(start);
  expect(token).toMatch(/^\w+$/);
  const [read = ""] = linesIn(await html("en-gb")).filter((lines) => lines.startsWith('curl "$BASE/api/v1/scans/$SCAN/security"'));
  expect(await run(read, { SCAN: token })).toMatchObject({ token, url: "https://site.example/", status: "queued" });
  const [many = ""] = linesIn(await html("en-gb")).filter((lines) => lines.includes("/scans/bulk"));
  expect(await run(many)).toMatchObject({ items: [{ status: "queued" }, { status: "queued" }] });
  const [site = ""] = linesIn(await html("en-gb")).filter(
    (lines) => lines.startsWith('curl "$BASE/api/v1/sites"') && lines.includes("-d '"),
  );
  expect(await run(site)).toMatchObject({ url: "https://bakery.example/", client: "Miller Ltd", schedule: { every: "daily" } });
  const [hook = ""] = linesIn(await html("en-gb")).filter(
    (lines) => lines.startsWith('curl "$BASE/api/v1/channels"') && lines.includes("-d '"),
  );
  expect(await run(hook)).toMatchObject({ kind: "webhook", target: "https://hooks.example/assay" });
  const [change = ""] = linesIn(await html("en-gb")).filter((lines) => lines.includes('-X PATCH "$BASE/api/v1/sites/bulk"'));
  expect(await run(change)).toMatchObject({ items: [{ id: 12, error: { status: 404 } }, { id: 13 }] });
  await api.finish();
  const [file = ""] = linesIn(await html("en-gb")).filter((lines) => lines.includes("/report."));
  expect(await run(file.replace("report.html", "report.json"), { SCAN: token })).toMatchObject({ token, status: "finished" });
  await api.stop();
});

describe("a field's type", () => {
  test.each<readonly [string, Schema, string]>([
    ["a string", { type: "string" }, "string"],
    ["a nullable string", { anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
    ["a list of strings", { type: "array", items: { type: "string" } }, "string[]"],
    ["anything", {}, "any"],
  ])("of %s", (_words, schema, type) => expect(typeOf(schema)).toBe(type));

  test("covers nested objects and lists", () => {
    const inner: Schema = { type: "object", properties: { b: { type: "integer" } } };
    const list: Schema = { anyOf: [{ type: "array", items: inner }, { type: "null" }] };
    const rows = fieldsOf({ type: "object", required: ["a"], properties: { a: list, c: inner } });
    expect(rows.map(({ path, type, optional }) => [path, type, optional])).toEqual([
      ["a", "object[] | null", false],
      ["a[].b", "integer", true],
      ["c", "object", true],
      ["c.b", "integer", true],
    ]);
  });
});

describe("a request for a shell", () => {
  test("names the method only if curl would use another", () => {
    expect(curlOf("GET", "/x/{token}")).toBe('curl "$BASE/x/$SCAN" \\\n  -H "Authorization: Bearer $TOKEN"');
    const parameters = [{ name: "extension", in: "path", required: true, schema: { enum: ["html", "json"] } }] as const;
    expect(curlOf("GET", "/{token}.{extension}", { parameters })).toContain('"$BASE/$SCAN.html"');
    expect(curlOf("DELETE", "/x")).toContain("curl -X DELETE ");
    expect(curlOf("POST", "/x", { body: "{}" })).toMatch(/^curl "\$BASE\/x"/);
    expect(curlOf("POST", "/x", { body: "{}" })).toContain("-d '{}'");
    expect(curlOf("POST", "/x")).toMatch(/^curl -X POST /);
    expect(curlOf("PATCH", "/x", { body: "{}" })).toMatch(/^curl -X PATCH /);
    const id = [{ name: "id", in: "path", required: true, schema: { examples: [12] } }] as const;
    expect(curlOf("GET", "/sites/{id}", { parameters: id })).toContain('"$BASE/sites/12"');
  });

  test("uses the example body of the fields", () => {
    expect(exampleBodyOf({ properties: { url: { examples: ["https://site.example/"] }, other: {} } })).toBe(
      '{"url":"https://site.example/"}',
    );
  });
});
