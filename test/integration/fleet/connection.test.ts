/** Connections of head and workers on a real nats-server: TLS, credentials, and a server that comes later. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount, createUser } from "@nats-io/nkeys";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { connectNats, FleetError } from "../../../src/fleet/connection.ts";
import { siteIdentity, testAuthority, untrustedAuthority } from "../../support/certificates.ts";
import { natsIsMissing, startNats } from "../../support/nats.ts";
import { portWithoutListener } from "../../support/ports.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-connection-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Milliseconds for an answer of a machine that does much else. */
const answerMsMax = 60_000;
const lines: string[] = [];
const line = (event: string) => void lines.push(event);
const log = { debug: line, info: line, warn: line, error: line };

function connectTo(
  servers: readonly string[],
  given: { credentialsFile?: string; caFile?: string; inboxPrefix?: string | undefined },
  signal = new AbortController().signal,
) {
  const { credentialsFile = null, caFile = null, inboxPrefix } = given;
  const inbox = inboxPrefix === undefined ? {} : { inboxPrefix };
  return connectNats({ servers, credentialsFile, caFile, ...inbox, name: "test", clock: systemClock, log, signal, retryMs: 20 });
}

/** Cause of the first failure; "connected" without one. */
async function firstFailure(servers: readonly string[], files: { credentialsFile?: string; caFile?: string }): Promise<string> {
  const ending = new AbortController();
  const { credentialsFile = null, caFile = null } = files;
  const { promise, resolve } = Promise.withResolvers<string>();
  const onFailure = (because: string) => {
    resolve(because);
    ending.abort();
  };
  connectNats({
    servers,
    credentialsFile,
    caFile,
    name: "test",
    clock: systemClock,
    log,
    signal: ending.signal,
    retryMs: 20,
    onFailure,
  }).then(
    async (connection) => {
      await connection.close();
      resolve("connected");
    },
    () => {},
  );
  return await promise;
}

function tlsBlock(host: string): string {
  const { certificateChainPem, privateKeyPem } = siteIdentity(host);
  return `tls { cert_file: "${fileOf(`${host}.crt`, certificateChainPem)}", key_file: "${fileOf(`${host}.key`, privateKeyPem)}" }`;
}

describe.skipIf(natsIsMissing())("a connection", () => {
  test("accepts the certificate of a trusted authority for the named host, and no other", async () => {
    await using nats = await startNats({ configuration: tlsBlock("localhost") });
    const caFile = fileOf("ca.pem", testAuthority().root.pem);
    const byName = `tls://localhost:${nats.port}`;
    expect(await firstFailure([byName], { caFile })).toBe("connected");
    expect(await firstFailure([`tls://127.0.0.1:${nats.port}`], { caFile })).toContain("is for another name");
    const strange = fileOf("strange.pem", untrustedAuthority().root.pem);
    expect(await firstFailure([byName], { caFile: strange })).toContain("is not trusted; nats.ca_file");
    expect(await firstFailure([byName], {})).toContain("is not trusted; nats.ca_file");
    await using byAddress = await startNats({ configuration: tlsBlock("127.0.0.1") });
    expect(await firstFailure([byAddress.url], { caFile })).toBe("connected");
  });

  test("never falls back to plain text where TLS is asked for", async () => {
    await using nats = await startNats();
    expect(await firstFailure([`tls://localhost:${nats.port}`], {})).toContain("offers no TLS");
  });

  test("names the cause of a failure", async () => {
    await using nats = await startNats({ configuration: tlsBlock("localhost") });
    expect(await firstFailure([`nats://127.0.0.1:${nats.port}`], {})).toContain("nats.url needs tls://");
    expect(await firstFailure(["tls://nats.invalid:4222"], {})).toBe("the name of nats-server cannot be resolved");
    expect(await firstFailure([`tls://127.0.0.1:${portWithoutListener()}`], {})).toBe("connection refused");
  });

  test("shows the seed of a user, and waits while the server refuses it", async () => {
    const user = createUser();
    const allow = (key: string) => `authorization { users: [{ nkey: ${key} }] }`;
    await using nats = await startNats({ configuration: allow(createUser().getPublicKey()) });
    const credentialsFile = fileOf("user.nk", `${Buffer.from(user.getSeed()).toString()}\n`);
    expect(await firstFailure([nats.url], { credentialsFile })).toContain("nats-server refuses the credentials");
    expect(await firstFailure([nats.url], {})).toContain("nats-server refuses the credentials");
    const connecting = connectTo([nats.url], { credentialsFile });
    await nats.reload(allow(user.getPublicKey()));
    await using connection = await connecting;
    expect(connection.isClosed()).toBe(false);
  });

  test("gets answers below the inbox that is given to it", async () => {
    await using nats = await startNats();
    await using other = await connectTo([nats.url], {});
    const replies: (string | undefined)[] = [];
    other.subscribe("asked", {
      callback: (_error, message) => {
        replies.push(message.reply?.split(".")[0]);
        message.respond();
      },
    });
    await other.flush();
    for (const inboxPrefix of ["_INBOX_own", undefined]) {
      await using connection = await connectTo([nats.url], { inboxPrefix });
      await connection.request("asked", undefined, { timeout: answerMsMax });
    }
    expect(replies).toEqual(["_INBOX_own", "_INBOX"]);
  });

  test("waits for a server that starts later, until its signal aborts", async () => {
    const ending = new AbortController();
    const connecting = connectTo([`nats://127.0.0.1:${portWithoutListener()}`], {}, ending.signal);
    ending.abort(new Error("the server stops"));
    await expect(connecting).rejects.toThrow("the server stops");
    expect(lines).toContain("nats-server not reachable yet");
  });
});

describe("files of a connection", () => {
  const servers = ["nats://127.0.0.1:1"];

  test("are refused with their setting if they cannot be used", async () => {
    const text = fileOf("text", "no seed");
    const accountSeed = fileOf("account.nk", Buffer.from(createAccount().getSeed()).toString());
    const seedFault = "holds neither the seed of a user (SU...) nor a JWT with its seed";
    await expect(connectTo(servers, { credentialsFile: text })).rejects.toThrow(
      new FleetError(`nats.credentials_file: ${text} ${seedFault}`),
    );
    await expect(connectTo(servers, { credentialsFile: accountSeed })).rejects.toThrow(seedFault);
    await expect(connectTo(servers, { caFile: text })).rejects.toThrow(`nats.ca_file: ${text} holds no PEM certificate`);
    await expect(connectTo(servers, { caFile: join(folder, "absent") })).rejects.toThrow("cannot be read (ENOENT)");
  });
});
