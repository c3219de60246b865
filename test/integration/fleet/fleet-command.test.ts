/** `assay fleet`: what scripts read, what is written, and what is refused. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeIdentity, readIdentity } from "../../../src/fleet/identity.ts";
import type { Worker } from "../../../src/store/workers.ts";
import { runInProcess } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-fleet-cli-"));
let data: string;

beforeEach(() => {
  data = mkdtempSync(join(folder, "data-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fleet(...args: readonly string[]) {
  return runInProcess(["fleet", ...args, "--data", data]);
}

async function listed(): Promise<readonly Worker[]> {
  return JSON.parse((await fleet("list", "--json")).stdout);
}

describe("enrol", () => {
  test("prints the seed alone to stdout, and the next steps to stderr", async () => {
    const { code, stdout, stderr } = await fleet("enrol", "berlin", "--nats", "tls://nats.acme.test:4333", "--nats-ca", "/ca.pem");
    expect(code).toBe(0);
    const path = join(data, "berlin-1.nk");
    writeFileSync(path, stdout);
    const { id, seed } = readIdentity(path);
    expect(stdout).toBe(`${seed}\n`);
    expect(await listed()).toMatchObject([{ id, name: "berlin-1", location: "berlin", revokedAt: null, drained: false }]);
    expect(stderr).not.toContain(seed);
    expect(stderr).toContain(`"assay.result.berlin.${id}.*.*.*.*"`);
    const command = "assay worker --nats tls://nats.acme.test:4333 --nats-ca ca.pem --location berlin --nats-credentials berlin-1.nk";
    expect(stderr).toContain(command);
  });

  test("writes the seed to a new file that only its owner reads", async () => {
    const out = join(data, "worker.nk");
    const { stdout, stderr } = await fleet("enrol", "oslo", "--name", "scan-01.oslo", "--out", out);
    expect(stdout).toBe("");
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const [worker] = await listed();
    expect(worker).toMatchObject({ id: readIdentity(out).id, name: "scan-01.oslo" });
    expect(stderr).not.toContain(readIdentity(out).seed);

    const before = readFileSync(out, "utf8");
    expect((await fleet("enrol", "oslo", "--out", out)).stderr).toContain("it exists already");
    expect(readFileSync(out, "utf8")).toBe(before);
    expect(await listed()).toHaveLength(1);
  });

  test("leaves no file if the name is taken", async () => {
    await fleet("enrol", "oslo", "--name", "a");
    const out = join(data, "second.nk");
    const { code, stderr } = await fleet("enrol", "bergen", "--name", "a", "--out", out);
    expect([code, stderr]).toEqual([2, "assay: there is a worker named a already; see assay fleet list\n"]);
    expect(statSync(out, { throwIfNoEntry: false })).toBeUndefined();
  });

  test("takes a public key once, and makes no seed then", async () => {
    const { id } = makeIdentity();
    expect((await fleet("enrol", "oslo", "--public-key", id)).stdout).toBe("");
    expect((await fleet("enrol", "oslo")).code).toBe(0);
    expect((await listed()).map(({ name }) => name)).toEqual(["oslo-1", "oslo-2"]);
    await fleet("revoke", "oslo-1");
    expect(await fleet("enrol", "oslo", "--public-key", id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs a key of its own"),
    });
  });

  test.each([
    [["Berlin"], '"Berlin" is no name of a location: it has small letters, digits and inner hyphens, at most 32, as in berlin'],
    [["a.b"], '"a.b" is no name of a location'],
    [["x".repeat(33)], "is no name of a location"],
    [["local"], "local is the server itself and needs no worker"],
    [["oslo", "--name", "a b"], '--name "a b" has to be 1 to 64 letters'],
    [["oslo", "--name", "a\n}"], '--name "a?}" has to be'],
    [["oslo", "--public-key", "UABC"], '--public-key "UABC" is malformed; a public key of a user begins with U'],
    [["oslo", "--public-key", `U${"A".repeat(55)}`], "is malformed"],
    [["oslo", "--public-key", makeIdentity().id, "--out", "x"], "--out has nothing to write with --public-key"],
    [["oslo", "--out", "/nowhere/x.nk"], "/nowhere/x.nk cannot be written: its folder does not exist"],
  ])("refuses %j", async (args, message) => {
    const { code, stdout, stderr } = await fleet("enrol", ...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(await listed()).toEqual([]);
  });

  test("does not repeat a seed that was given as a public key", async () => {
    const { seed } = makeIdentity();
    const { code, stderr } = await fleet("enrol", "oslo", "--public-key", seed);
    expect(code).toBe(2);
    expect(stderr).toContain("looks like a seed, which is secret");
    expect(stderr).not.toContain(seed);
  });
});

describe("a worker", () => {
  test("is drained, resumed and revoked by name or key, and then gone from nats.conf", async () => {
    await fleet("enrol", "berlin");
    await fleet("enrol", "berlin");
    const [first, second] = await listed();
    await fleet("drain", "berlin-1");
    expect((await listed()).map(({ drained }) => drained)).toEqual([true, false]);
    await fleet("resume", first?.id ?? "");
    expect((await listed()).map(({ drained }) => drained)).toEqual([false, false]);
    expect((await fleet("revoke", "berlin-1")).code).toBe(0);
    expect((await fleet("revoke", "berlin-1")).stderr).toContain("berlin-1 was revoked already, 20");
    expect((await fleet("drain", "berlin-1")).stderr).toContain("berlin-1 is revoked");
    const { stdout } = await fleet("nats-conf");
    expect(stdout).not.toContain(first?.id);
    expect(stdout).toContain(second?.id);
    expect((await fleet("list")).stdout).toMatch(/^berlin-1 +berlin +revoked 20/m);
    for (const verb of ["revoke", "drain", "resume"])
      expect((await fleet(verb, "nobody\u001b[2J")).stderr).toBe("assay: no worker is enrolled as nobody?[2J; see assay fleet list\n");
  });

  test("list says how to begin", async () => {
    expect(await fleet("list")).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("assay fleet enrol LOCATION") });
    expect((await fleet("list", "--json")).stdout).toBe("[]\n");
  });
});

describe("nats-conf", () => {
  const tls = ["--tls-cert", "/n.pem", "--tls-key", "/n.key"];
  const nodes = ["n1=n1.test:6222", "n2=n2.test:6222", "n3=n3.test:6222"].flatMap((node) => ["--cluster", node]);

  test("names the same head each time, and no secret", async () => {
    const first = await fleet("nats-conf");
    expect(await fleet("nats-conf")).toEqual(first);
    expect(first.stdout).toContain(readIdentity(join(data, "nats-head.nk")).id);
    expect(first.stdout).not.toMatch(/\bSU[A-Z2-7]{56}\b/);
    const { stdout } = await fleet("nats-conf", "--accounts");
    expect(stdout).toMatch(/^accounts \{\n/);
    expect(first.stdout.endsWith(stdout)).toBe(true);
  });

  test("has TLS for clients, and between servers of a cluster", async () => {
    const { stdout } = await fleet("nats-conf", "--listen", "0.0.0.0:4222", ...tls, "--tls-ca", "/ca.pem", ...nodes, "--server", "n2");
    expect(stdout).toContain('listen: "0.0.0.0:4222"');
    expect(stdout).toContain('server_name: "n2"');
    expect(stdout.match(/nats-route:[^"]+/g)).toEqual([1, 2, 3].map((node) => `nats-route://n${node}.test:6222`));
    expect(stdout.match(/verify: true/g)).toHaveLength(1);
  });

  test.each([
    [["--listen", "0.0.0.0:4222"], "--listen 0.0.0.0:4222 is reached from other machines and needs TLS"],
    [["--listen", "4222"], '--listen "4222" is not address:port'],
    [["--listen", "127.0.0.1:0"], '--listen "127.0.0.1:0" is not address:port'],
    [["--tls-cert", "/n.pem"], "--tls-cert and --tls-key belong together"],
    [["--tls-cert", "n.pem", "--tls-key", "/n.key"], '--tls-cert "n.pem" has to be a whole path'],
    [["--store", "/a\n}"], "has to be a whole path"],
    [["--server", "n1"], "--server and --tls-ca belong to --cluster"],
    [[...nodes, "--server", "n1"], "a cluster over a network needs --tls-cert, --tls-key and --tls-ca"],
    [[...tls, "--tls-ca", "/ca.pem", ...nodes], "--server has to name one of n1, n2, n3"],
    [
      [...nodes.slice(0, 4), "--server", "n1"],
      "--cluster needs an odd number of servers, at least 3, to survive the loss of one; here are 2",
    ],
    [[...nodes, "--cluster", "n1=x.test:1"], "--cluster names a server twice"],
    [["--cluster", "n1.test:6222"], '--cluster "n1.test:6222" is not name=host:port'],
    [["--cluster", "n1=a/b:6222"], "is not name=host:port"],
  ])("refuses %j", async (args, message) => {
    const { code, stdout, stderr } = await fleet("nats-conf", ...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test("refuses a file of the head that holds no seed", async () => {
    await fleet("list");
    writeFileSync(join(data, "nats-head.nk"), "x");
    expect(await fleet("nats-conf")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("nats-head.nk holds no nkey seed of a user"),
    });
  });
});
