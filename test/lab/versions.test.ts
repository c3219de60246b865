/** Versions and suites of TLS, served and scanned for real. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { labTests } from "./laboratory.ts";
import { openLaboratory } from "./open-laboratory.ts";
import { tlsSite } from "./tls-site.ts";
import { plainHttpOnly, versionCases } from "./versions.ts";

labTests("versions", versionCases);

describe("what is no TLS", () => {
  const laboratory = openLaboratory();
  beforeAll(laboratory.ready);
  afterAll(laboratory.close);

  test("plain HTTP on port 443 leaves nothing to judge", async () => {
    const serve = async () => tlsSite(await plainHttpOnly());
    await expect(laboratory.scan({ serve })).rejects.toThrow("the scan of https://site.test/ failed: tls");
  });
});
