/** Allowed methods of a path, derived from the routes. */
import { expect, test } from "vitest";
import { allowedMethods } from "../../../src/http/allowed-methods.ts";

const routes = [
  { method: "GET", path: "/list" },
  { method: "POST", path: "/list" },
  { method: "GET", path: "/list/:name/part" },
  { method: "DELETE", path: "/list/:name/part" },
  { method: "POST", path: "/list/own/part" },
  { method: "POST", path: "/only" },
];

test.each([
  ["/list", ["GET", "HEAD", "OPTIONS", "POST"]],
  ["/list/anything/part", ["DELETE", "GET", "HEAD", "OPTIONS"]],
  ["/list/%00/part", ["DELETE", "GET", "HEAD", "OPTIONS"]],
  ["/list/own/part", ["OPTIONS", "POST"]],
  ["/only", ["OPTIONS", "POST"]],
  ["/list/", []],
  ["/list//part", []],
  ["/list/name", []],
  ["//list", []],
  ["/", []],
  ["", []],
])("%s", (path, methods) => expect(allowedMethods(routes, path)).toEqual(methods));
