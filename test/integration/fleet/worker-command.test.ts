/** `assay worker`: settings that are wrong or missing end it at once with one sentence. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeIdentity } from "../../../src/fleet/identity.ts";
import { runInProcess } from "../../support/program.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-worker-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const seed = join(folder, "worker.nk");
const noSeed = join(folder, "text");
writeFileSync(seed, `${makeIdentity().seed}\n`);
writeFileSync(noSeed, "no seed\n");

const nats = ["--nats", "nats://127.0.0.1:1"];
const location = ["--location", "berlin"];
const credentials = ["--nats-credentials", seed];

const wrongCommands: readonly (readonly [name: string, args: readonly string[], sentence: string])[] = [
  ["no server", [...location, ...credentials], "nats.url is not set"],
  ["a server without TLS", ["--nats", "nats://10.0.0.1", ...location, ...credentials], "nats:// only with a loopback address"],
  ["no location", [...nats, ...credentials], "fleet.location is not set"],
  ["the server's own location", [...nats, "--location", "local", ...credentials], "not local"],
  ["no credentials", [...nats, ...location], "nats.credentials_file is not set"],
  ["an absent file", [...nats, ...location, "--nats-credentials", join(folder, "absent")], "cannot be read (ENOENT)"],
  ["a file without a seed", [...nats, ...location, "--nats-credentials", noSeed], "holds neither the seed of a user"],
  ["a CA file without certificate", [...nats, ...location, ...credentials, "--nats-ca", noSeed], "holds no PEM certificate"],
];

test.each(wrongCommands)("%s", async (_name, args, sentence) => {
  const { code, stderr } = await runInProcess(["worker", "--data", folder, "--health", "127.0.0.1:0", ...args]);
  expect([code, stderr.split("\n").at(-2)]).toEqual([2, expect.stringContaining(sentence)]);
});

test("--help has an example", async () => {
  const { code, stdout } = await runInProcess(["worker", "--help"]);
  expect([code, stdout.includes("assay worker --nats tls://")]).toEqual([0, true]);
});
