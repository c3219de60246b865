/** `assay scan --server` when the call, the server or the network has a fault. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { testAuthority } from "../../support/certificates.ts";
import { type ForwardingServer, startForwarding } from "../../support/forwarding-server.ts";
import { runInProcess } from "../../support/program.ts";
import { type ScanningApi, startScanningApi } from "../../support/scanning-api.ts";
import { startHttp } from "../../support/servers.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-scan-server-faults-"));
const path = (name: string) => join(folder, name);
const page = (name: string) => `https://site.example/${name}`;
let api: ScanningApi;
let front: ForwardingServer;

beforeAll(async () => {
  api = await startScanningApi();
  front = await startForwarding("head.test", api.origin);
  writeFileSync(path("root.pem"), testAuthority().root.pem);
});
afterEach(() => {
  expect(api.logged).toEqual([]);
});
afterAll(async () => {
  await front.stop();
  await api.stop();
  rmSync(folder, { recursive: true });
});

function scan(server: string, args: readonly string[], token = api.token) {
  return runInProcess(["scan", "--data", folder, "--server", server, ...args], { env: { ASSAY_TOKEN: token } });
}

/** Scan through the reverse proxy with its own authority. */
function scanOverTls(...args: readonly string[]) {
  return scan("https://head.test", ["--connect-to", `head.test:443=127.0.0.1:${front.port}`, ...args]);
}

async function scansOfAccount(): Promise<number> {
  const list = (await (await api.request("/api/v1/scans?limit=100", { token: api.token })).json()) as { items: object[] };
  return list.items.length;
}

describe("a call that cannot be carried out is exit 2, without a scan", () => {
  const secret = "token-secret-7d1f";

  test.each<[string, readonly string[], string, string?]>([
    ["plain http over a network", ["--server", "http://head.example"], "would send the API token in clear text"],
    ["a path", ["--server", "https://head.example/assay"], "without a path, as in https://head.example"],
    ["no URL", ["--server", "ftp://head.example"], '--server "ftp://head.example" cannot be used'],
    ["no token", ["--server", "https://head.example"], "--server needs an API token, in ASSAY_TOKEN or in the file of --token-file", ""],
    ["a token of two lines", ["--server", "https://head.example"], "ASSAY_TOKEN must hold one API token", `${secret}\n${secret}`],
    ["a location without a server", ["--location", "berlin"], "--location needs --server URL: this machine scans from where it is"],
    ["a token without a server", ["--token-file", "x"], "--token-file needs --server URL"],
    ["a setting of the server", ["--server", "https://head.example", "--timeout", "9"], "--timeout does not go with --server"],
    ["a profile", ["--server", "https://head.example", "--profile", "internal"], "--profile does not go with --server"],
    ["secrets of a page", ["--server", "https://head.example", "--header-file", "x"], "--header-file does not go with --server"],
    ["a bad location", ["--server", "https://head.example", "--location", "Ber/lin"], "--location"],
  ])("%s", async (_name, args, sentence, token = secret) => {
    const { code, stdout, stderr } = await runInProcess(["scan", page("bare"), "--data", folder, ...args], { env: { ASSAY_TOKEN: token } });
    expect(stderr).toContain(sentence);
    expect([code, stdout, stderr.trimEnd().split("\n").length]).toEqual([2, "", 1]);
    expect(stderr).not.toContain(secret);
  });

  test("a token file that others may read, and one that only the user may read", async () => {
    writeFileSync(path("open-token"), api.token, { mode: 0o644 });
    const refused = await scan(api.origin, [page("bare"), "--token-file", path("open-token")], "");
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("chmod 600") });
    writeFileSync(path("token"), `${api.token}\n`, { mode: 0o600 });
    expect((await scan(api.origin, [page("bare"), "--token-file", path("token")], "")).code).toBe(0);
  });

  test("an unknown token, and an account without API access", async () => {
    const unknown = await scan(api.origin, [page("bare")], `assay_${"x".repeat(43)}`);
    expect(unknown).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("does not accept the API token") });
    const { token } = await api.customer("free");
    const free = await scan(api.origin, [page("bare")], token);
    expect(free).toMatchObject({ code: 2, stderr: expect.stringContaining('status 403): The account is on the plan "free"') });
  });

  test("an unknown location, with those that are known", async () => {
    const { code, stdout, stderr } = await scan(api.origin, [page("bare"), "--location", "paris"]);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("(status 400): location must be one of local, berlin"),
    });
    expect(stderr).not.toContain("no answer");
  });

  test("a server that is none of assay", async () => {
    const other = await startHttp({ "*": { body: "<h1>hello</h1>" } });
    const moved = await startHttp({ "*": { status: 301, headers: { location: "https://head.example/" } } });
    expect(await scan(`http://127.0.0.1:${other.port}`, [page("bare")])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("does not answer as an assay server does"),
    });
    expect(await scan(`http://127.0.0.1:${moved.port}`, [page("bare")])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("redirects to https://head.example/"),
    });
    await Promise.all([other.stop(), moved.stop()]);
  });
});

describe("over TLS", () => {
  test("a certificate that is not trusted gets no token", async () => {
    const before = front.requests.length;
    const { code, stderr } = await scanOverTls(page("bare"));
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--ca-file names the certificate of its authority"),
    });
    expect(front.requests.slice(before)).toEqual([]);
  });
  test("an authority of --ca-file is trusted, and a lost answer starts nothing twice", async () => {
    const before = await scansOfAccount();
    front.answersToLose.add("POST /api/v1/scans/bulk");
    const { code, stderr } = await scanOverTls(page("bare"), page("sound"), "--ca-file", path("root.pem"));
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("[2/2] finished") });
    expect(front.answersToLose.size).toBe(0);
    expect(await scansOfAccount()).toBe(before + 2);
  });
});
