/** A server without TLS on the port of https. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLaboratory } from "./open-laboratory.ts";
import { tlsSite } from "./tls-site.ts";
import { plainHttpOnly } from "./versions.ts";

describe("no TLS", () => {
  const laboratory = openLaboratory();
  beforeAll(laboratory.ready);
  afterAll(laboratory.close);

  test("plain HTTP on port 443 fails the scan", async () => {
    const serve = async () => tlsSite(await plainHttpOnly());
    await expect(laboratory.scan({ serve })).rejects.toThrow("the scan of https://site.test/ failed: tls");
  });
});
