/** Caching and compression of pages, and paths that could become links to other hosts. */
import { afterAll, expect, test } from "vitest";
import { startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const pages = await startPages();
const admin = await signedIn(pages, await accountIn(pages, "admin@assay.test"));
const guest = pages.visitor();
afterAll(() => pages.stop());

const ofAccounts = [
  ...["/account", "/account/second-factor", "/account/tokens", "/account/scans", "/sign-out"],
  ...["/admin", "/admin/users", "/admin/settings", "/admin/checks", "/admin/audit"],
];

async function cachingOf(visitor: Visitor, path: string) {
  const answer = await visitor.get(path, { "accept-encoding": "gzip" });
  return [answer.status, answer.headers.get("cache-control"), answer.headers.get("content-encoding")];
}

test.each(ofAccounts)("%s is neither cached nor compressed", async (path) => {
  expect(await cachingOf(admin, path)).toEqual([200, "no-store", null]);
});

test("public pages are compressed and revalidated", async () => {
  expect(await cachingOf(guest, "/checks")).toEqual([200, "private, no-cache", "gzip"]);
});

test.each(["//elsewhere.test/x", "/\\elsewhere.test", "/..//elsewhere.test", "///elsewhere.test"])(
  "a page at %s has no link to another host",
  async (path) => {
    // Raw connection: an HTTP client would normalize the path.
    const html = await answerTo(`GET ${path} HTTP/1.1\r\nhost: assay.test\r\nconnection: close\r\n\r\n`);
    expect(html).toContain("404 Not Found");
    expect(html).toContain('href="/elsewhere.test');
    expect(html).not.toMatch(/(?:href|src|action)="[/\\]{2}/);
  },
);

async function answerTo(head: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(pages.url).port),
    socket: {
      open: (socket) => void socket.write(head),
      data: (_socket, bytes) => {
        answer += bytes.toString();
      },
      close: () => resolve(answer),
    },
  });
  return promise;
}
