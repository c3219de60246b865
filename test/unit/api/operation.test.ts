/** Faults of declarations end the program at its start, and name the operation. */
import { Type } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { type ApiOperation, checkedOperations, operation, routesOf } from "../../../src/api/operation.ts";
import { apiOperations } from "../../../src/api/operations.ts";
import { oneOfValues } from "../../../src/api/schemas.ts";

const terms = {
  audience: "accounts",
  tag: "sites",
  summary: "Read a thing",
  answers: { 204: { description: "Done." } },
  run: () => undefined,
} as const;
const first = operation({ ...terms, id: "readFirst", route: "GET /api/v1/things/{id}", params: Type.Object({ id: Type.String() }) });

test("the operations of the API have no fault", () => {
  expect(checkedOperations(apiOperations)).toBe(apiOperations);
  expect(apiOperations.length).toBeGreaterThan(50);
});

test("two operations of one method and path are named, also if their parameters have other names", () => {
  const second = operation({
    ...terms,
    id: "readSecond",
    route: "GET /api/v1/things/{name}",
    params: Type.Object({ name: Type.String() }),
  });
  expect(() => checkedOperations([first, second])).toThrow(/GET \/api\/v1\/things\/\{\}.*readFirst.*readSecond/);
});

test("two operations of one name are named", () => {
  const second = operation({ ...terms, id: "readFirst", route: "GET /api/v1/others" });
  expect(() => checkedOperations([first, second])).toThrow(
    /readFirst \(GET \/api\/v1\/things\/\{id\}\) and readFirst \(GET \/api\/v1\/others\)/,
  );
});

test.each([undefined, "everybody"])("an operation for %s is named", (audience) => {
  const careless = { ...first, audience } as unknown as ApiOperation;
  expect(() => checkedOperations([careless])).toThrow("The operation readFirst does not declare who may call it.");
});

test("an operation without its parameters is named", () => {
  const careless = operation({ ...terms, id: "readThing", route: "GET /api/v1/things/{id}" });
  expect(() => checkedOperations([careless])).toThrow("The operation readThing does not declare the parameters of /api/v1/things/{id}.");
});

test("a parameter within a segment becomes a route for each of its values", () => {
  const params = Type.Object({ id: Type.String(), extension: oneOfValues(["pdf", "html"]) });
  const file = operation({ ...terms, id: "readFile", route: "GET /api/v1/things/{id}/report.{extension}", params });
  expect(routesOf(file)).toEqual([
    { method: "GET", path: "/api/v1/things/:id/report.pdf", fixed: { extension: "pdf" } },
    { method: "GET", path: "/api/v1/things/:id/report.html", fixed: { extension: "html" } },
  ]);
  expect(routesOf(first)).toEqual([{ method: "GET", path: "/api/v1/things/:id", fixed: null }]);
});
