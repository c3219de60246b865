/** Runs the laboratory cases for TLS versions and cipher suites. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { labTests } from "./laboratory.ts";
import { openLaboratory } from "./open-laboratory.ts";
import { tlsSite } from "./tls-site.ts";
import { plainHttpOnly, versionCases } from "./versions.ts";

labTests("versions", versionCases);

describe("no TLS", () => {
  const laboratory = openLaboratory();
  beforeAll(laboratory.ready);
  afterAll(laboratory.close);

  test("plain HTTP on port 443 fails the scan", async () => {
    const serve = async () => tlsSite(await plainHttpOnly());
    await expect(laboratory.scan({ serve })).rejects.toThrow("the scan of https://site.test/ failed: tls");
  });
});
