/** Limits on our side, with a fake session in place of a compromised renderer. */
import { expect, test } from "vitest";
import { headerValueCharsMax, integrityCharsMax, urlCharsMax } from "../../../src/evidence/limits.ts";
import type { OpenDocument } from "../../../src/probe/browser/page-document.ts";
import { readDom } from "../../../src/probe/browser/page-dom.ts";

/** A fake renderer that returns `document` at https://site.test/. */
function renderer(document: unknown): OpenDocument {
  const answers: Record<string, (params: { readonly expression?: string }) => unknown> = {
    "Runtime.evaluate": ({ expression }) => ({
      result: { value: expression === "location.href" ? "https://site.test/" : document },
    }),
  };
  const session = { send: async (method: string, params: object) => answers[method]?.(params) } as unknown as OpenDocument["session"];
  return { session, contextId: 1 };
}

const read = (document: object) =>
  readDom(
    renderer({ metas: [], metasDropped: 0, subresources: [], subresourcesDropped: 0, forms: [], formsDropped: 0, title: "", ...document }),
    1_000,
    headerValueCharsMax,
  );

const endless = "x".repeat(100_000);

test("texts of any length are truncated", async () => {
  const facts = await read({
    metas: [{ httpEquiv: endless, name: endless, content: endless, truncated: true }],
    subresources: [{ url: `https://site.test/${endless}`, kind: "script", integrity: endless, crossOrigin: endless }],
    forms: [{ action: `https://site.test/${endless}`, method: endless }],
    title: endless,
  });
  expect(facts.metas[0]?.content).toHaveLength(headerValueCharsMax);
  expect(facts.metas.flatMap(({ httpEquiv, name }) => [httpEquiv?.length, name?.length])).toEqual([64, 64]);
  expect(facts.subresources[0]?.url).toHaveLength(urlCharsMax);
  expect(facts.subresources[0]?.integrity).toHaveLength(integrityCharsMax);
  expect(facts.subresources[0]?.crossOrigin).toHaveLength(64);
  expect(facts.subresources[0]).toMatchObject({ sameSite: true, sameOrigin: true });
  expect(facts.forms[0]?.action).toHaveLength(urlCharsMax);
  expect(facts.forms[0]?.method).toHaveLength(64);
  expect(facts.title).toHaveLength(200);
});

test("enumerated values and numbers are validated", async () => {
  const facts = await read({
    metas: [{ httpEquiv: null, name: "referrer", content: "", truncated: endless }],
    metasDropped: endless,
    subresources: [{ url: "https://site.test/a.js", kind: endless, integrity: null, crossOrigin: null }],
    subresourcesDropped: 3,
    formsDropped: null,
  });
  expect(facts.metas[0]?.truncated).toBe(false);
  expect(facts.subresources[0]?.kind).toBe("other");
  expect([facts.metasDropped, facts.subresourcesDropped, facts.formsDropped]).toEqual([0, 3, 0]);
});

test("a wrong structure is rejected", async () => {
  await expect(read({ subresources: [{ url: null }] })).rejects.toThrow(TypeError);
  await expect(read({ metas: null })).rejects.toThrow(TypeError);
});
