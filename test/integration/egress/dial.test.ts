/** SSRF guard against a real resolver and real listeners: dials only authorized, pinned addresses. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type Egress, openEgress } from "../../../src/egress/dial.ts";
import { EgressError } from "../../../src/egress/egress-error.ts";
import type { EgressSettings } from "../../../src/egress/settings.ts";
import { type DnsServerHandle, startDnsServer, type Zones } from "../../support/dns-server.ts";
import { egressSettings } from "../../support/egress-settings.ts";

const deadlineMs = 30_000;
const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const step of cleanUp.splice(0)) step();
});

/** A listener that greets, and counts connections. */
async function startListener(host = "127.0.0.1"): Promise<{ port: number; connections: () => number; server: Server }> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  cleanUp.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections, server };
}

async function open(zones: Zones, given: Partial<EgressSettings> = {}): Promise<{ egress: Egress; dns: DnsServerHandle }> {
  const dns = await startDnsServer(zones);
  cleanUp.push(dns.stop);
  const egress = openEgress(egressSettings({ dnsServers: [dns.address], ...given }));
  cleanUp.push(() => egress.close());
  return { egress, dns };
}

async function failureOf(attempt: Promise<unknown>): Promise<EgressError> {
  const thrown = await attempt.then(
    () => null,
    (error) => error,
  );
  expect(thrown).toBeInstanceOf(EgressError);
  return thrown as EgressError;
}

async function greeting(socket: Socket): Promise<string> {
  const text = await new Promise<string>((resolve) => socket.once("data", (chunk: Buffer) => resolve(chunk.toString())));
  socket.destroy();
  return text;
}

describe("resolving", () => {
  test("returns all addresses of both families, IPv4 first", async () => {
    const { egress } = await open({ "site.test": { A: ["8.8.8.8", "8.8.4.4"], AAAA: ["2001:4860:4860::8888"] } });
    expect(await egress.resolve("site.test")).toEqual(["8.8.8.8", "8.8.4.4", "2001:4860:4860::8888"]);
    expect(egress.pinnedAddress("site.test", 443)).toBe("8.8.8.8");
  });

  test("asks once per scan, for any number of calls and spellings", async () => {
    const { egress, dns } = await open({ "site.test": { A: ["8.8.8.8"] } });
    await Promise.all(["site.test", "SITE.test", "site.test.", "site.test"].map((host) => egress.resolve(host)));
    await egress.resolve("site.test");
    expect(dns.queries.map(({ question }) => question).sort()).toEqual(["A site.test", "AAAA site.test"]);
  });

  test("reads long answers over TCP", async () => {
    const addresses = Array.from({ length: 200 }, (_, index) => `8.8.${index}.1`);
    const { egress, dns } = await open({ "site.test": { A: { truncatedOverUdp: addresses } } });
    expect(await egress.resolve("site.test")).toEqual(addresses);
    expect(dns.queries).toContainEqual({ question: "A site.test", over: "tcp" });
  });

  test("a failure of one family does not hide the other", async () => {
    const { egress } = await open({ "site.test": { A: ["8.8.8.8"], AAAA: "SERVFAIL" } });
    expect(await egress.resolve("site.test")).toEqual(["8.8.8.8"]);
  });

  test("asks the next server when one fails", async () => {
    const broken = await startDnsServer({ "site.test": { A: "SERVFAIL", AAAA: "SERVFAIL" } });
    cleanUp.push(broken.stop);
    const working = await startDnsServer({ "site.test": { A: ["8.8.8.8"] } });
    cleanUp.push(working.stop);
    const egress = openEgress(egressSettings({ dnsServers: [broken.address, working.address] }));
    expect(await egress.resolve("site.test")).toEqual(["8.8.8.8"]);
  });

  const failures: readonly [words: string, zones: Zones, because: string][] = [
    ["a name that does not exist", {}, "unresolved"],
    ["a name without an address", { "site.test": { TXT: ["x"] } }, "unresolved"],
    ["an alias of a missing name", { "site.test": { CNAME: ["gone.test"] } }, "unresolved"],
    ["a resolver that fails", { "site.test": { A: "SERVFAIL", AAAA: "SERVFAIL" } }, "unresolved"],
  ];
  for (const [words, zones, because] of failures) {
    test(`${words}: ${because}`, async () => {
      const { egress } = await open(zones);
      expect((await failureOf(egress.resolve("site.test"))).because).toBe(because as never);
    });
  }

  test("a silent resolver: timeout; the caller's deadline ends the wait earlier", async () => {
    const { egress } = await open({ "site.test": { A: "silent", AAAA: "silent" } });
    const order: string[] = [];
    const failed = async (name: string, work: Promise<unknown>) => {
      expect((await failureOf(work)).because).toBe("timeout");
      order.push(name);
    };
    await Promise.all([
      failed("resolver", egress.resolve("site.test")),
      failed("caller", egress.dial("site.test", 443, { deadlineMs: 200 })),
    ]);
    expect(order).toEqual(["caller", "resolver"]);
  });

  test("the number of names is limited", async () => {
    const zones = Object.fromEntries(Array.from({ length: 510 }, (_, index) => [`n${index}.test`, { A: ["8.8.8.8"] }]));
    const { egress } = await open(zones as Zones);
    const outcomes: string[] = [];
    // One after the other: of hundreds of packets at once, some would be lost and sent again.
    for (const name of Object.keys(zones)) {
      const outcome = egress.resolve(name).then(
        () => "resolved",
        (error: EgressError) => error.because,
      );
      outcomes.push(await outcome);
    }
    expect(outcomes.filter((outcome) => outcome === "blocked")).toHaveLength(10);
  });
});

describe("refusing", () => {
  const zones: Zones = {
    "private.test": { A: ["10.0.0.1"] },
    "mixed.test": { A: ["8.8.8.8", "127.0.0.1"] },
    "mixed6.test": { A: ["8.8.8.8"], AAAA: ["::1"] },
    "mapped.test": { AAAA: ["::ffff:127.0.0.1"] },
    "alias.test": { CNAME: ["private.test"] },
    "metadata.google.internal": { A: ["169.254.169.254"] },
    "rebinding.test": { A: { inTurn: [["8.8.8.8"], ["127.0.0.1"]] } },
    "rebinding-back.test": { A: { inTurn: [["127.0.0.1"], ["8.8.8.8"]] } },
  };

  for (const host of ["private.test", "mixed.test", "mixed6.test", "mapped.test", "alias.test", "metadata.google.internal"]) {
    test(`${host}: one blocked address blocks the host`, async () => {
      const { egress } = await open(zones);
      const failure = await failureOf(egress.dial(host, 443, { deadlineMs }));
      expect(failure.because).toBe("blocked");
      expect(failure.message).toContain(host);
      expect(egress.refusals).toEqual([failure.message]);
      expect(egress.pinnedAddress(host, 443)).toBeNull();
    });
  }

  test("DNS rebinding: a name that later resolves to loopback keeps its pinned address", async () => {
    const { egress, dns } = await open(zones);
    expect(await egress.resolve("rebinding.test")).toEqual(["8.8.8.8"]);
    expect(await egress.resolve("rebinding.test")).toEqual(["8.8.8.8"]);
    expect(dns.queries.filter(({ question }) => question === "A rebinding.test")).toHaveLength(1);
  });

  test("DNS rebinding: a blocked name stays blocked when it later resolves to a public address", async () => {
    const { egress } = await open(zones);
    expect((await failureOf(egress.resolve("rebinding-back.test"))).because).toBe("blocked");
    expect((await failureOf(egress.resolve("rebinding-back.test"))).because).toBe("blocked");
  });

  test("a loopback listener is unreachable in profile internet, and reachable in profile internal", async () => {
    const { port, connections } = await startListener();
    const given = { allowPorts: [port] };
    const shut = await open({ "local.test": { A: ["127.0.0.1"] } }, given);
    for (const host of ["127.0.0.1", "localhost", "local.test", "0x7f000001", "[::ffff:7f00:1]", "0.0.0.0"]) {
      expect((await failureOf(shut.egress.dial(host, port, { deadlineMs }))).because).toBe("blocked");
    }
    expect(connections()).toBe(0);

    const opened = await open({ "local.test": { A: ["127.0.0.1"] } }, { ...given, profile: "internal" });
    expect(await greeting(await opened.egress.dial("local.test", port, { deadlineMs }))).toBe("hello");
    expect(connections()).toBe(1);
  });

  test("the appliance's own listeners stay blocked with any settings", async () => {
    const { port, connections } = await startListener("0.0.0.0");
    const egress = openEgress(
      egressSettings({
        profile: "internal",
        allowCidrs: ["0.0.0.0/0", "::/0"],
        allowPorts: "any",
        connectTo: [{ host: "site.test", port: 443, address: "127.0.0.1", addressPort: port }],
        ownEndpoints: [{ address: null, port }],
      }),
    );
    for (const host of ["127.0.0.1", "127.9.9.9", "0.0.0.0", "localhost", "[::ffff:127.0.0.1]"]) {
      expect((await failureOf(egress.dial(host, port, { deadlineMs }))).because).toBe("blocked");
    }
    expect((await failureOf(egress.dial("site.test", 443, { deadlineMs }))).because).toBe("blocked");
    expect(connections()).toBe(0);
  });

  test("ports other than 80 and 443 are blocked, and the message names the setting", async () => {
    const { egress } = await open({ "site.test": { A: ["8.8.8.8"] } });
    const failure = await failureOf(egress.dial("site.test", 22, { deadlineMs }));
    expect(failure).toMatchObject({ because: "blocked", message: "site.test: port 22 is blocked; scan.allow_ports opens it" });
  });
});

describe("dialling", () => {
  test("a mapped address replaces the name, and must pass the policy like any other", async () => {
    const { port, connections } = await startListener();
    const connectTo = [{ host: "site.test", port: 443, address: "127.0.0.1", addressPort: port }];
    const shut = openEgress(egressSettings({ connectTo }));
    expect((await failureOf(shut.dial("site.test", 443, { deadlineMs }))).because).toBe("blocked");
    expect(connections()).toBe(0);

    const opened = openEgress(egressSettings({ connectTo, profile: "internal" }));
    expect(await greeting(await opened.dial("SITE.test.", 443, { deadlineMs }))).toBe("hello");
    expect(opened.pinnedAddress("site.test", 443)).toBe("127.0.0.1");
  });

  test("after a refusal the next address is dialled, and preferred from then on", async () => {
    const { port } = await startListener("127.0.0.2");
    const { egress } = await open({ "site.test": { A: ["127.0.0.1", "127.0.0.2"] } }, { profile: "internal", allowPorts: "any" });
    expect(await greeting(await egress.dial("site.test", port, { deadlineMs }))).toBe("hello");
    expect(egress.pinnedAddress("site.test", port)).toBe("127.0.0.2");
  });

  test("refused if no address has a listener", async () => {
    const { port, server } = await startListener();
    await new Promise((resolve) => server.close(resolve));
    const { egress } = await open({ "site.test": { A: ["127.0.0.1", "127.0.0.2"] } }, { profile: "internal", allowPorts: "any" });
    expect((await failureOf(egress.dial("site.test", port, { deadlineMs }))).because).toBe("refused");
  });

  test("close ends open connections, and later dials fail", async () => {
    const { port } = await startListener();
    const egress = openEgress(egressSettings({ profile: "internal", allowPorts: [port] }));
    const socket = await egress.dial("127.0.0.1", port, { deadlineMs });
    await new Promise((resolve) => socket.once("data", resolve));
    egress.close();
    expect(socket.destroyed).toBe(true);
    await failureOf(egress.dial("127.0.0.1", port, { deadlineMs }));
  });

  test("an aborted caller does not abort the resolution for others", async () => {
    const { egress } = await open({ "site.test": { A: ["8.8.8.8"] } });
    const gone = failureOf(egress.resolve("site.test", AbortSignal.abort()));
    expect((await gone).because).toBe("timeout");
    expect(await egress.resolve("site.test")).toEqual(["8.8.8.8"]);
  });
});
