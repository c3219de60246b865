/** Slow form uploads: a session that ends during the upload gives no access. */
import { connect, type Socket } from "node:net";
import { afterAll, expect, test } from "vitest";
import type { Account } from "../../../src/store/accounts.ts";
import { startPages, type Visitor } from "../../support/pages.ts";
import { accountIn, signedIn } from "../../support/signed-in.ts";

const pages = await startPages();
const admin = await accountIn(pages, "admin@assay.test");
const other = await accountIn(pages, "other@assay.test");
afterAll(() => pages.stop());

/** Sends a form except for its last byte; the returned function sends that byte and returns the status line. */
async function park(visitor: Visitor, path: string, fields: Readonly<Record<string, string>>) {
  const body = new URLSearchParams({ ...fields, last: "x" }).toString();
  const { port, host } = new URL(pages.url);
  const socket = connect(Number(port), "127.0.0.1");
  const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
  const head = [`POST ${path} HTTP/1.1`, `host: ${host}`, `origin: ${pages.url}`, `cookie: ${cookie}`];
  const type = ["content-type: application/x-www-form-urlencoded", `content-length: ${body.length}`, "connection: close"];
  socket.write(`${[...head, ...type].join("\r\n")}\r\n\r\n${body.slice(0, -1)}`);
  await Bun.sleep(100);
  return async () => {
    socket.write(body.slice(-1));
    return (await firstLineOf(socket)).trim();
  };
}

function firstLineOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once("data", (bytes) => resolve(String(bytes).split("\n")[0] ?? "")));
}

const newToken = { do: "create", name: "late", expires: "never" };

async function tokensAfter(account: Account, meanwhile: () => Promise<unknown>) {
  const finish = await park(await signedIn(pages, account), "/account/tokens", newToken);
  await meanwhile();
  return [await finish(), pages.store.apiTokens.listOfAccount(account.id).length];
}

test("a slow form upload is accepted", async () => {
  expect(await tokensAfter(other, async () => {})).toEqual(["HTTP/1.1 200 OK", 1]);
});

test("a slow form upload is refused after its session ended", async () => {
  const third = await accountIn(pages, "third@assay.test");
  expect(await tokensAfter(third, () => pages.store.sessions.endOthers(third.id, 0))).toEqual(["HTTP/1.1 401 Unauthorized", 0]);
});

test("a slow form upload is refused after its account was disabled, also for administrators", async () => {
  const second = await accountIn(pages, "second@assay.test");
  expect(await tokensAfter(second, () => pages.store.accounts.setDisabled(second.id, true))).toEqual(["HTTP/1.1 401 Unauthorized", 0]);
  const finish = await park(await signedIn(pages, admin), `/admin/users/${other.id}/plan`, { plan: "agency" });
  await pages.store.accounts.setDisabled(admin.id, true);
  expect([await finish(), pages.store.accounts.findById(other.id)?.plan]).toEqual(["HTTP/1.1 401 Unauthorized", "free"]);
});
