/** Generates requests of every operation of the API from its declaration: what it takes, what it nearly takes, and noise. */
import type { TObject, TSchema } from "@sinclair/typebox";
import fc from "fast-check";
import type { ApiOperation } from "../../src/api/operation.ts";
import { exampleOf } from "../../src/api/schemas.ts";
import { unicodeText } from "../support/unicode-text.ts";

/** Stands for the name of a record that an answer has named: in a path alone, in a body before the kind of the record. */
export const knownRecord = "~";
/** Fields of bodies that name records, and their kinds. */
const kindsOfFields: Readonly<Record<string, string>> = { ids: "sites", siteIds: "sites", channelIds: "channels", proof: "proofs" };

export interface FuzzedRequest {
  readonly operation: ApiOperation;
  /** With its query, and with `knownRecord` in place of an id or token. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

const longChars = 20_000;
/** Characters of one part of a path or query. The server's HTTP parser refuses heads of 16 KiB before the program sees them. */
const segmentCharsMax = 2_000;
const nestedLevels = 200;
/** Ids of records begin at 1. */
const idMax = 12;
const noise = unicodeText({ maxLength: 30 });

const hostileValues: readonly unknown[] = [
  ...["", " ", "\0", "\r\nx-injected: 1", "../../etc/passwd", "__proto__", "<script>alert(1)</script>", "\ud800", "\u{1f600}".repeat(200)],
  ...["http://10.0.0.1/", "https://user:secret@site.example/", "javascript:alert(1)", `https://${"a".repeat(300)}.example/`],
  ...["x".repeat(longChars), "2026-02-30T25:00:00Z", "* * * * *", "99 99 99 99 99", "a@example..net", "%00%ff"],
  ...[null, true, 0, -1, 0.5, 2 ** 53, 1e300, -0, [], {}, [[]], [null], { "": null }, { constructor: { prototype: 1 } }],
];
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: fc.constantFrom(...hostileValues), weight: 6 },
  { arbitrary: noise, weight: 2 },
  { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 1 },
  { arbitrary: fc.integer({ min: 1, max: idMax }), weight: 2 },
);

/** What the schema allows, most of the time. */
function someValue(schema: TSchema): fc.Arbitrary<unknown> {
  const allowed = allowedOf(schema);
  return allowed === null ? hostile : fc.oneof({ arbitrary: allowed, weight: 6 }, { arbitrary: hostile, weight: 1 });
}

/** Null for a schema without an example, a constant or fields. */
function allowedOf(schema: TSchema): fc.Arbitrary<unknown> | null {
  const { type, anyOf, items, properties, const: constant } = schema;
  const fixed = [exampleOf(schema), constant, ...(schema.enum ?? [])].filter((value) => value !== undefined);
  const choices: fc.Arbitrary<unknown>[] = fixed.length === 0 ? [] : [fc.constantFrom(...fixed)];
  if (anyOf !== undefined) choices.push(...(anyOf as readonly TSchema[]).map(someValue));
  if (type === "array" && items !== undefined) choices.push(fc.array(someValue(items), { maxLength: 4 }));
  if (type === "object" && properties !== undefined) choices.push(fieldsOf(schema as TObject));
  if (type === "integer") choices.push(fc.integer({ min: 1, max: idMax }));
  if (type === "boolean") choices.push(fc.boolean());
  if (type === "string" && schema.pattern !== undefined) choices.push(fc.stringMatching(new RegExp(schema.pattern)));
  else if (type === "string" && fixed.length === 0) choices.push(noise);
  return choices.length === 0 ? null : fc.oneof(...choices);
}

/** A field of an object. One that names records often names some that exist. */
function fieldOf(name: string, schema: TSchema): fc.Arbitrary<unknown> {
  const kind = kindsOfFields[name];
  if (kind === undefined) return someValue(schema);
  const known = `${knownRecord}${kind}`;
  return fc.oneof({ arbitrary: fc.constant(schema.type === "array" ? [known] : known), weight: 6 }, someValue(schema));
}

/** The example of the body, with one field changed or as it is, or an object of any fields. */
function objectOf(schema: TObject): fc.Arbitrary<object> {
  const named = Object.entries<TSchema>(schema.properties).filter(([name]) => name in kindsOfFields);
  const names = named.map(([name, each]) => [name, fieldOf(name, each)] as const);
  const whole = fc.record(Object.fromEntries(names)).map((records) => ({ ...(exampleOf(schema) as object), ...records }));
  const changes = Object.entries<TSchema>(schema.properties).map(([name, each]) => fieldOf(name, each).map((value) => ({ [name]: value })));
  const changed = fc.tuple(whole, fc.oneof(...changes)).map(([body, change]) => ({ ...body, ...change }));
  return fc.oneof({ arbitrary: whole, weight: 3 }, { arbitrary: changed, weight: 6 }, { arbitrary: fieldsOf(schema), weight: 4 });
}

/** An object in which some fields are absent, and sometimes one is unknown. */
function fieldsOf({ properties, required = [] }: TObject): fc.Arbitrary<object> {
  const absent = Symbol("absent");
  const fields = Object.entries<TSchema>(properties).map(([name, schema]) => {
    const present = { arbitrary: fieldOf(name, schema), weight: required.includes(name) ? 30 : 4 };
    return [name, fc.oneof(present, { arbitrary: fc.constant(absent), weight: 1 })] as const;
  });
  const unknown = fc.oneof({ arbitrary: fc.constant({}), weight: 12 }, fc.dictionary(noise, hostile, { maxKeys: 2 }));
  return fc
    .tuple(fc.record(Object.fromEntries(fields)), unknown)
    .map(([known, more]) => ({ ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== absent)), ...more }));
}

const noText: fc.Arbitrary<string> = fc.oneof(
  noise,
  fc.constantFrom(
    "",
    "null",
    "[]",
    "{",
    '{"a":1,"a":2}',
    '{"__proto__":1}',
    "[".repeat(nestedLevels),
    '{"url":"\\ud800"}',
    "1e999",
    "\ufeff{}",
  ),
  fc.constant(`{"url":${'{"url":'.repeat(nestedLevels)}1${"}".repeat(nestedLevels)}}`),
);

function bodyOf({ body, method }: ApiOperation): fc.Arbitrary<Pick<FuzzedRequest, "body"> & { readonly type: string }> {
  if (method === "GET") return fc.constant({ body: null, type: "" });
  if (body === undefined) return fc.oneof(fc.constant({ body: null, type: "" }), fc.constant({ body: "{}", type: "application/json" }));
  const types = Object.keys(body.content);
  const bodies = Object.entries(body.content).map(([type, { schema, example }]) => {
    if (type === "application/json") {
      const json = objectOf(schema as TObject).map((value) => JSON.stringify(value));
      const cut = fc.tuple(json, fc.double({ min: 0, max: 1, noNaN: true })).map(([text, share]) => text.slice(0, share * text.length));
      const text = fc.oneof({ arbitrary: json, weight: 12 }, { arbitrary: cut, weight: 1 }, { arbitrary: noText, weight: 1 });
      return text.map((each) => ({ body: each, type }));
    }
    if (type.startsWith("image/")) {
      const start = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
      return fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ body: new Uint8Array([...start, ...bytes]), type }));
    }
    const lines = fc.array(fc.oneof(noise, fc.constant(String(example ?? ""))), { maxLength: 6 });
    return lines.map((texts) => ({ body: texts.join("\r\n"), type }));
  });
  const wrongType = fc.constantFrom(...types, "text/plain", "application/x-www-form-urlencoded", "");
  return fc.oneof(
    { arbitrary: fc.oneof(...bodies), weight: 12 },
    fc.tuple(fc.oneof(...bodies), wrongType).map(([each, type]) => ({ ...each, type })),
  );
}

function segmentOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return encodeURIComponent(text.toWellFormed()).slice(0, segmentCharsMax);
}

function pathOf({ path, params, query }: ApiOperation): fc.Arbitrary<string> {
  const parts = Object.entries<TSchema>(params?.properties ?? {}).map(([name, schema]) => {
    const allowed: readonly unknown[] = schema.enum ?? [exampleOf(schema) ?? "x"];
    const sample = ["id", "token"].includes(name) ? fc.constant(knownRecord) : fc.constantFrom(...allowed).map(segmentOf);
    const broken = fc.constantFrom("%", "%ff", "%00", "%2e%2e%2f", "999999999999999999999");
    const text = fc.oneof({ arbitrary: sample, weight: 12 }, { arbitrary: hostile.map(segmentOf), weight: 1 }, broken);
    return [name, text] as const;
  });
  const given = Object.entries<TSchema>((query?.schema as TObject | undefined)?.properties ?? {}).map(([name, schema]) =>
    fc.option(
      someValue(schema).map((value) => `${name}=${segmentOf(value)}`),
      { nil: "" },
    ),
  );
  const unknown = fc.oneof(
    { arbitrary: fc.constant(""), weight: 12 },
    noise.map((text) => segmentOf(text)),
  );
  return fc.tuple(fc.record(Object.fromEntries(parts)), fc.tuple(...given), unknown).map(([values, queries, more]) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_placeholder, name: string) => (values as Record<string, string>)[name] ?? "");
    const search = [...queries, more].filter((text) => text !== "").join("&");
    return search === "" ? filled : `${filled}?${search}`;
  });
}

/** Characters that a client may send in a field. */
const fieldValue = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom("*", '"x"', "de-DE,de;q=0.5", "key-1", "x".repeat(300)));

function headersOf({ headers = [] }: ApiOperation): fc.Arbitrary<Readonly<Record<string, string>>> {
  const names = ["accept-language", "accept-encoding", "if-none-match", "accept", ...headers.map(({ name }) => name.toLowerCase())];
  return fc.oneof({ arbitrary: fc.constant({}), weight: 3 }, fc.dictionary(fc.constantFrom(...names), fieldValue, { maxKeys: 2 }));
}

/** Shares by method: records are made more often than they are removed, so that most paths name one that exists. */
const weights: Readonly<Record<ApiOperation["method"], number>> = { POST: 4, PUT: 4, PATCH: 2, GET: 2, DELETE: 1 };

export function requestsOf(operations: readonly ApiOperation[]): fc.Arbitrary<FuzzedRequest> {
  const ofEach = operations.map((operation) =>
    fc.tuple(pathOf(operation), headersOf(operation), bodyOf(operation)).map(([path, headers, { body, type }]): FuzzedRequest => {
      const contentType = body === null || type === "" ? {} : { "content-type": type };
      return { operation, path, headers: { ...headers, ...contentType }, body };
    }),
  );
  return fc.oneof(...ofEach.map((arbitrary, at) => ({ arbitrary, weight: weights[operations[at]?.method ?? "GET"] })));
}
