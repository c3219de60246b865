/** The fuzz of requests notices what it looks for. The requests themselves: `npm run fuzz -- requests`. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiOperation } from "../../src/api/operation.ts";
import { apiOperations } from "../../src/api/operations.ts";
import { requestsOf } from "../fuzz/request-inputs.ts";
import { complaintsOn, hasGrown } from "../fuzz/requests.ts";

const operation = apiOperations.find(({ id }) => id === "startScan") as ApiOperation;
const message = '{"errorMessage":"no"}';
const complaints = (status: number, text: string) => complaintsOn({ operation, path: operation.path }, status, text).length;

describe("an answer", () => {
  test.each<[string, number, string, number]>([
    ["that the operation declares", 202, '{"token":"a"}', 0],
    ["that refuses for a declared reason", 400, message, 0],
    ["of a full queue", 503, message, 0],
    ["with a fault of the server", 500, message, 1],
    ["that is declared nowhere", 418, message, 1],
    ["without a message", 400, "", 1],
    ["with a trace", 400, '{"errorMessage":"no\\n    at run"}\n    at run (/app/start.ts:3:1)', 1],
    ["that names a source", 400, '{"errorMessage":"in /app/src/api/errors.ts"}', 1],
  ])("%s", (_words, status, text, expected) => {
    expect(complaints(status, text)).toBe(expected);
  });
});

describe("memory", () => {
  const mib = 2 ** 20;
  test.each<[string, readonly number[], boolean]>([
    ["that is level", [100, 180, 200, 200, 205, 200], false],
    ["that only the first half fills", [50, 250, 300, 300, 300, 300], false],
    ["that grows on and on", [100, 200, 300, 400, 500, 600], true],
  ])("%s", (_words, memory, expected) => {
    expect(hasGrown(memory.map((each) => each * mib))).toBe(expected);
  });
});

test("every operation of the API is among the requests, and most paths are filled", () => {
  const requests = fc.sample(requestsOf(apiOperations), { numRuns: 1_200, seed: 1 });
  expect(new Set(requests.map((each) => each.operation.id)).size).toBe(apiOperations.length);
  expect(requests.filter(({ path }) => /[{}]/.test(path))).toEqual([]);
});
