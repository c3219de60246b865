/** Whose answers the DNS client believes; the rest of it is tried through `dial.test.ts`. */
import { createSocket, type Socket } from "node:dgram";
import dnsPacket from "dns-packet";
import { expect, test } from "vitest";
import { askDns } from "../../src/egress/dns-client.ts";

function bound(address: string, port: number): Promise<Socket> {
  const socket = createSocket("udp4");
  return new Promise((resolve) => socket.bind(port, address, () => resolve(socket)));
}

test("an answer from the right port of another address is passed over", async () => {
  const server = await bound("127.0.0.1", 0);
  const { port } = server.address();
  const forger = await bound("127.0.0.2", port);
  server.on("message", (message, sender) => {
    const query = dnsPacket.decode(message);
    const answering = (data: string) =>
      dnsPacket.encode({ ...query, type: "response", answers: [{ type: "A", name: "site.test", ttl: 1, data }], additionals: [] });
    forger.send(answering("203.0.113.66"), sender.port, sender.address);
    setTimeout(() => server.send(answering("192.0.2.1"), sender.port, sender.address), 100);
  });
  try {
    const { answers } = await askDns({ address: "127.0.0.1", port }, { name: "site.test", type: "A" });
    expect(answers?.map((record) => "data" in record && record.data)).toEqual(["192.0.2.1"]);
  } finally {
    server.close();
    forger.close();
  }
});

test("where nobody listens is known at once", async () => {
  const server = await bound("127.0.0.1", 0);
  const { port } = server.address();
  await new Promise<void>((resolve) => server.close(resolve));
  const startedMs = performance.now();
  await expect(askDns({ address: "127.0.0.1", port }, { name: "site.test", type: "A" })).rejects.toMatchObject({ because: "unreachable" });
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});
