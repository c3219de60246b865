/** TLS probe: peers that fail, limit connections or drop them. */

import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { siteIdentity, untrustedAuthority } from "../../../support/certificates.ts";
import { cleanUp, keep } from "../../../support/clean-up.ts";
import { portWithoutListener } from "../../../support/ports.ts";
import { startTcp } from "../../../support/servers.ts";
import { probeServer, serveTls, tlsFactsOf } from "../../../support/tls-probe.ts";

afterEach(cleanUp);

/** Result for a server that handles every connection as given. */
async function failure(onConnection: (socket: Socket) => void, deadlineMs?: number): Promise<string> {
  const reading = await probeServer(keep(await startTcp(onConnection)), deadlineMs === undefined ? {} : { deadlineMs });
  return reading.status === "failed" ? reading.because : "read";
}

describe("faulty peers", () => {
  const record = (type: number, ...payload: number[]) => Buffer.from([type, 3, 3, payload.length >> 8, payload.length & 255, ...payload]);
  const answering = (bytes: Buffer) => (socket: Socket) => void socket.once("data", () => socket.end(bytes));

  test("a closed port", async () => {
    expect(await probeServer({ port: portWithoutListener() })).toEqual({ status: "failed", because: "refused" });
  });
  test("silence", async () => expect(await failure(() => {}, 300)).toBe("timeout"));
  test("a reset", async () =>
    expect(await failure((socket) => void socket.once("data", () => socket.resetAndDestroy()))).toBe("unreachable"));
  test("a closed connection", async () =>
    expect(await failure((socket) => void socket.once("data", () => socket.end()))).toBe("unreachable"));
  test("plain HTTP", async () => expect(await failure(answering(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")))).toBe("invalid"));
  test("SSH, whose server sends first", async () => expect(await failure((socket) => void socket.write("SSH-2.0-x\r\n"))).toBe("invalid"));
  test("one wrong byte, then silence", async () => expect(await failure((socket) => void socket.write("S"), 1_000)).toBe("invalid"));
  test("an alert", async () => expect(await failure(answering(record(21, 2, 40)))).toBe("tls"));
  test("endless records", async () => {
    const endless = Buffer.concat(Array.from({ length: 100 }, () => Buffer.concat([record(22, ...Array<number>(16_000).fill(0))])));
    expect(await failure((socket) => void socket.once("data", () => socket.write(endless)))).toBe("tls");
  });

  test("a certificate of another host is read as well", async () => {
    const facts = await tlsFactsOf(await serveTls(siteIdentity("site.test", { flaw: "wrong-host" })));
    expect(facts).toMatchObject({ hostMatches: false, trusted: true });
  });
});

describe("a server that limits simultaneous connections", () => {
  test.each([0, 1, 2, 3])("to %i besides the first: closed ones are retried", async (more) => {
    const site = await serveTls(siteIdentity("site.test"), { minVersion: "TLSv1" });
    let open = 0;
    const box = keep(
      await startTcp((socket) => {
        if (open > more) {
          socket.resetAndDestroy();
          return;
        }
        open++;
        const onward = connect(site.port, "127.0.0.1");
        socket.pipe(onward).pipe(socket);
        onward.on("error", () => socket.destroy());
        socket.once("close", () => {
          open--;
          onward.destroy();
        });
      }),
    );
    const facts = await tlsFactsOf(box);
    expect(Object.values(facts.versions)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
  });
});

describe("a server that answers only the first connection", () => {
  const { intermediate } = untrustedAuthority();
  const leaf = intermediate.issue({ commonName: "site.test", names: ["site.test"] });
  const chain = (...certificates: readonly { readonly pem: string }[]) => certificates.map(({ pem }) => pem).join("");

  test.each([
    ["an intermediate twice", [intermediate, intermediate]],
    ["the leaf twice", [leaf, intermediate]],
  ])("every certificate that it sent counts: %s", async (_words, others) => {
    const site = await serveTls({ certificateChainPem: chain(leaf, ...others), privateKeyPem: leaf.privateKeyPem });
    let isFirst = true;
    const box = keep(
      await startTcp((socket) => {
        if (!isFirst) return void socket.destroy();
        isFirst = false;
        const onward = connect(site.port, "127.0.0.1");
        socket.pipe(onward).pipe(socket);
        onward.on("error", () => socket.destroy());
        socket.once("close", () => onward.destroy());
      }),
    );
    const facts = await tlsFactsOf(box);
    expect(facts).toMatchObject({ chainAsSent: false, trusted: false, untrustedBecause: "UNABLE_TO_GET_ISSUER_CERT_LOCALLY" });
    expect(facts.chain).toHaveLength(3);
  });
});

describe("a middlebox that drops old versions", () => {
  test("costs time, but no facts", async () => {
    const site = await serveTls(siteIdentity("site.test"));
    const box = keep(
      await startTcp((socket) => {
        socket.once("data", (hello: Buffer) => {
          // The version of the hello, after the record header.
          if (hello.readUInt16BE(9) < 0x0303) return;
          const onward = connect(site.port, "127.0.0.1", () => {
            onward.write(hello);
            socket.pipe(onward).pipe(socket);
          });
          onward.on("error", () => socket.destroy());
          socket.once("close", () => onward.destroy());
        });
      }),
    );
    const facts = await tlsFactsOf(box, { deadlineMs: 5_000 });
    expect(facts.versions).toEqual({ "1.0": "unknown", "1.1": "unknown", "1.2": "accepted", "1.3": "accepted" });
  });
});

test("a good server costs few connections", async () => {
  const site = await serveTls(siteIdentity("site.test"));
  await tlsFactsOf(site);
  expect(site.connections).toBe(2);
});
