/** A body is accepted exactly if the published schema accepts it, white space aside; every refusal names a field. */
import type { TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../src/api/errors.ts";
import { apiOperations } from "../../../src/api/operations.ts";
import { checkedSchemaOf, modelNameOf } from "../../../src/api/schemas.ts";
import { validatorOf } from "../../../src/api/validation.ts";

const schemas = apiOperations.flatMap(({ id, body }) => {
  const schema = body?.content["application/json"]?.schema as TObject | undefined;
  return schema === undefined ? [] : [[id, schema] as const];
});

/** What `check` throws; null for an accepted body. */
function refusalOf(schema: TObject, body: unknown): ApiError | null {
  try {
    expect(validatorOf(schema).check(body)).toBe(body);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Values that may be right for some field, and arbitrary ones. */
const values = fc.oneof(
  fc.constantFrom<unknown>("webhook", "https://a.example/", "viewer", "all", "finding.opened", "low", true, 1, null, {}, []),
  fc.constantFrom<unknown>(
    { kind: "all" },
    { kind: "tag", tag: "t" },
    { every: "daily" },
    { paused: true },
    [1],
    ["finding.opened"],
    ["t"],
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ maxLength: 300 }),
);

const bodiesOf = (schema: TObject) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...Object.keys(schema.properties)), values) },
    { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 80 }), values) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );

test("every body of JSON has a name in the description", () => {
  expect(schemas.length).toBe(18);
  for (const [, schema] of schemas) expect(modelNameOf(schema)).toMatch(/^[A-Z]\w+$/);
});

describe("a body", () => {
  test.each(schemas)("of %s is refused by its schema alone", (_id, schema) => {
    const checked = checkedSchemaOf(schema);
    fc.assert(
      fc.property(bodiesOf(schema), (body) => {
        const refusal = refusalOf(schema, body);
        // Nothing is returned: what an expectation of vitest gives back would count as a failure.
        if (Value.Check(checked, body)) {
          expect(refusal).toBeNull();
        } else if (refusal === null) {
          expect(JSON.stringify(body)).toMatch(/\s/);
        } else {
          expect([refusal.status, Object.keys(refusal.fieldErrors ?? {}).length]).toEqual([400, 1]);
          expect(refusal.message).not.toContain("is not valid");
        }
      }),
    );
  });

  test.each(schemas)("of %s that is an object refuses what the schema does not name", (_id, schema) => {
    const closed = schema.additionalProperties === false;
    const [name = ""] = Object.keys(schema.properties);
    const refusal = refusalOf(schema, { [`${name}s`]: 1 });
    expect(refusal?.fieldErrors).toEqual(
      closed ? { [`${name}s`]: [`is not known here; did you mean ${name}?`] } : { [name]: ["is required"] },
    );
  });
});

test("faults in a nested object are those of its field, and a stray field is named itself", () => {
  const [, rule] = schemas.find(([id]) => id === "changeRule") ?? [];
  if (rule === undefined) throw new Error("no changeRule");
  const faultsOf = (scope: unknown) => refusalOf(rule, { scope })?.fieldErrors;
  expect(faultsOf(7)).toEqual({ scope: ["must be an object with kind"] });
  expect(faultsOf({ knd: "tag" })).toEqual({ scope: ["must have kind with one of all, site, tag, client"] });
  expect(faultsOf({ kind: "tag", tagg: "x" })).toEqual({ tagg: ["is not known here; did you mean tag?"] });
  expect(faultsOf({ kind: "site", siteId: "1" })).toEqual({ scope: ["must have siteId with the id of a site"] });
  expect(refusalOf(rule, {})?.message).toBe("body must have at least one of scope, events, severityMin, channelIds.");
});
