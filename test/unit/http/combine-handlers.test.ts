/** Which requests the API answers, and which the pages. */
import { expect, test } from "vitest";
import { combineHandlers } from "../../../src/http/server.ts";

const handlerThatAnswers = (text: string) => ({ server: null as unknown, fetch: () => new Response(text) });

async function answered(path: string): Promise<string> {
  const handler = combineHandlers({ api: handlerThatAnswers("api"), pages: handlerThatAnswers("pages") });
  return (await handler.fetch(new Request(`http://assay.test${path}`))).text();
}

test.each([
  ["/api/v1/scans", "api"],
  ["/api/unknown", "api"],
  ["/healthz", "api"],
  ["/readyz?full=1", "api"],
  ["/api/", "pages"],
  ["/api", "pages"],
  ["/", "pages"],
  ["/readyz/", "pages"],
  ["/scans?next=/api/v1/scans", "pages"],
])("%s is answered by the %s", async (path, by) => expect(await answered(path)).toBe(by));

test("both get the server, which knows the addresses of clients", () => {
  const [api, pages, server] = [handlerThatAnswers("api"), handlerThatAnswers("pages"), {}];
  combineHandlers({ api, pages }).server = server;
  expect([api.server, pages.server]).toEqual([server, server]);
});
