/** Webhooks to real receivers: what counts as delivered, what each failure is called, and what the SSRF guard refuses. */

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import {
  createWebhookSender,
  newWebhookSecret,
  type SendOutcome,
  sendWebhook,
  type WebhookSenderSettings,
} from "../../../src/channels/webhook.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { startDnsServer } from "../../support/dns-server.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { type Route, startHttp, startHttps, startTcp, type TestServer } from "../../support/servers.ts";

const loopback = ["127.0.0.1/32"];
const shortMs = 400;
const now = new Date(Math.floor(Date.now() / 1_000) * 1_000);
const secrets = [newWebhookSecret(), newWebhookSecret()];
const body = JSON.stringify({ type: "site.score_dropped", timestamp: now.toISOString(), data: { name: "Pr\u00fcfung" } });

const received: { readonly headers: IncomingMessage["headers"]; readonly body: string }[] = [];
const logged: string[] = [];
const log = createLog({ level: "warn", format: "text", write: (line) => void logged.push(line) });

/** Answers with this status and these fields once the body has come. */
const answer =
  (status: number, headers: Readonly<Record<string, string>> = {}): Route =>
  (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      response.writeHead(status, headers).end("thank you");
    });
  };

let receiver: TestServer;
let plain: TestServer;

beforeAll(async () => {
  receiver = await startHttps(siteIdentity("hooks.test"), {
    "/": answer(200),
    "/accepted": answer(202),
    "/no-content": answer(204),
    "/gone": answer(410),
    "/broken": answer(500),
    "/malformed": answer(400),
    "/busy": answer(503, { "retry-after": "90" }),
    "/busy-until": answer(429, { "retry-after": new Date(now.getTime() + 60_000).toUTCString() }),
    "/busy-for-ever": answer(503, { "retry-after": "99999999" }),
    "/silent": () => {},
  });
  plain = await startHttp({ "/": answer(200), "*": answer(200) });
});
afterAll(() => Promise.all([receiver.stop(), plain.stop()]));

function senderOf(given: Partial<WebhookSenderSettings> = {}) {
  return createWebhookSender({
    allowCidrs: loopback,
    allowHttp: true,
    caPems: [testAuthority().root.pem],
    dnsServers: [],
    connectTo: ["hooks.test", "other.test"].map((host) => ({ host, port: 443, address: "127.0.0.1", addressPort: receiver.port })),
    ownEndpoints: () => [],
    clock: systemClock,
    log,
    ...given,
  });
}

function send(url: string, given: Partial<WebhookSenderSettings> = {}, signal?: AbortSignal): Promise<SendOutcome> {
  const attempt = { url, secrets, id: "msg_27", timestamp: now, body };
  return sendWebhook(senderOf(given), signal === undefined ? attempt : { ...attempt, signal });
}

/** Reason of the failure, or the result. */
async function reason(sent: Promise<SendOutcome>): Promise<string> {
  const outcome = await sent;
  return outcome.result === "failed" ? outcome.because : outcome.result;
}

/** Warnings since the last call. */
const warnings = () => logged.splice(0).join("");

describe("a delivered webhook", () => {
  test("is signed as the specification says, and whole", async () => {
    expect(await send("https://hooks.test/")).toEqual({ result: "delivered", status: 200, ms: expect.any(Number) });
    const { headers, body: got } = received.at(-1) ?? { headers: {}, body: "" };
    expect(got).toBe(body);
    expect(headers).toMatchObject({ "content-type": "application/json", "webhook-id": "msg_27", host: "hooks.test" });
    expect(headers["user-agent"]).toMatch(/^assay/);
    expect(headers["webhook-timestamp"]).toBe(String(now.getTime() / 1_000));
    for (const secret of secrets) expect(new Webhook(secret).verify(got, headers as Record<string, string>)).toEqual(JSON.parse(body));
  });

  test.each(["accepted", "no-content"])("may be answered by %s", async (path) => {
    expect(await reason(send(`https://hooks.test/${path}`))).toBe("delivered");
  });
});

describe("an answer that refuses", () => {
  test.each([
    ["gone", { result: "gone", status: 410 }],
    ["broken", { result: "failed", status: 500, because: "status", retryAfterMs: null }],
    ["malformed", { result: "failed", status: 400, because: "status", retryAfterMs: null }],
    ["missing", { result: "failed", status: 404, because: "status", retryAfterMs: null }],
    ["busy", { result: "failed", status: 503, because: "status", retryAfterMs: 90_000 }],
    ["busy-until", { result: "failed", status: 429, because: "status", retryAfterMs: 60_000 }],
    ["busy-for-ever", { result: "failed", status: 503, because: "status", retryAfterMs: 86_400_000 }],
  ])("/%s", async (path, outcome) => {
    expect(await send(`https://hooks.test/${path}`)).toEqual({ ...outcome, ms: expect.any(Number) } as SendOutcome);
  });

  test.each([300, 301, 302, 303, 307, 308, 399])("with a redirect (%i) is not followed", async (status) => {
    const target = await startHttp({ "*": answer(200) });
    const redirecting = await startHttp({ "*": answer(status, { location: `http://127.0.0.1:${target.port}/` }) });
    try {
      const outcome = await send(`http://127.0.0.1:${redirecting.port}/`);
      expect(outcome).toMatchObject({ result: "failed", status, because: "redirect" });
      expect(target.connections).toBe(0);
    } finally {
      await Promise.all([target.stop(), redirecting.stop()]);
    }
  });
});

describe("a faulty receiver", () => {
  /** Outcome with a receiver that does this after the request's first bytes. */
  async function sendTo(onData: (socket: Socket) => void, given: Partial<WebhookSenderSettings> = {}): Promise<SendOutcome> {
    const server = await startTcp((socket) => void socket.once("data", () => onData(socket)));
    try {
      return await send(`http://127.0.0.1:${server.port}/`, given);
    } finally {
      await server.stop();
    }
  }

  test("that never answers ends by the deadline", async () => {
    const outcome = await send("https://hooks.test/silent", { deadlineMs: shortMs });
    expect(outcome).toMatchObject({ result: "failed", status: null, because: "timeout", retryAfterMs: null });
    expect(outcome.ms).toBeGreaterThanOrEqual(shortMs - 50);
  });

  test("that sends its head byte by byte ends by the deadline", async () => {
    const drip = (socket: Socket) => {
      const timer = setInterval(() => socket.write("H"), 20);
      socket.once("close", () => clearInterval(timer));
      socket.write("HTTP/1.1 200 OK\r\nX: ");
    };
    expect(await sendTo(drip, { deadlineMs: shortMs })).toMatchObject({ because: "timeout" });
  });

  test("with a gigabyte of answer costs its head alone", async () => {
    let sentBytes = 0;
    const block = Buffer.alloc(65_536, "x");
    const flood = (socket: Socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
      const pour = () => {
        while (!socket.destroyed && sentBytes < 1_073_741_824) {
          sentBytes += block.length;
          if (!socket.write(block)) return void socket.once("drain", pour);
        }
      };
      pour();
    };
    expect(await sendTo(flood)).toMatchObject({ result: "delivered", status: 200 });
    // Buffers of the system fill up, whatever the client does.
    expect(sentBytes).toBeLessThan(64 * 1_024 ** 2);
  });

  test.each([
    ["that answers no HTTP", (socket: Socket) => void socket.end("220 mail.test ESMTP\r\n"), "invalid"],
    ["that ends within its head", (socket: Socket) => void socket.end("HTTP/1.1 200 OK\r\nX: "), "invalid"],
    ["that closes without an answer", (socket: Socket) => void socket.end(), "unreachable"],
  ])("%s", async (_name, onData, because) => {
    expect(await sendTo(onData)).toMatchObject({ result: "failed", status: null, because });
  });

  test("that refuses connections", async () => {
    expect(await reason(send(`http://127.0.0.1:${portWithoutListener()}/`))).toBe("refused");
  });

  test("whose attempt is given up ends at once", async () => {
    const ending = new AbortController();
    const sent = send("https://hooks.test/silent", {}, ending.signal);
    ending.abort();
    expect(await reason(sent)).toBe("timeout");
  });
});

describe("the certificate", () => {
  test("needs a trusted root", async () => expect(await reason(send("https://hooks.test/", { caPems: [] }))).toBe("certificate"));
  test("needs the host's name", async () => expect(await reason(send("https://other.test/"))).toBe("certificate"));
  test("is asked for by https alone", async () => {
    expect(await reason(send(`https://127.0.0.1:${plain.port}/`))).toBe("tls");
    expect(await reason(send(`http://127.0.0.1:${plain.port}/`))).toBe("delivered");
  });
});

describe("the SSRF guard", () => {
  test.each([
    ["http://127.0.0.1/", [], "a loopback address"],
    ["http://127.0.0.1/", ["127.0.0.0/8", "0.0.0.0/0"], "a loopback address"],
    ["http://2130706433/", ["127.0.0.0/8"], "a loopback address"],
    ["http://[::1]/", ["::/0"], "a loopback address"],
    ["http://[::ffff:127.0.0.1]/", ["127.0.0.0/8"], "a loopback address"],
    ["http://localhost/", ["127.0.0.0/8"], "a loopback address"],
    ["http://0.0.0.0/", ["0.0.0.0/0"], "the unspecified address"],
    ["http://169.254.169.254/latest/meta-data/", [], "a cloud metadata address"],
    ["http://169.254.169.254/latest/meta-data/", ["169.254.0.0/16"], "a cloud metadata address"],
    ["http://10.0.0.1/", [], "a private address"],
    ["http://[fd00::1]/", ["10.0.0.0/8"], "a private (unique local) address"],
  ])("refuses %s with %j", async (url, allowCidrs, name) => {
    expect(await send(url, { allowCidrs })).toMatchObject({ result: "failed", status: null, because: "blocked" });
    const warned = warnings();
    expect(warned).toContain(`is ${name}`);
    expect(warned).toContain("webhooks.allow_cidrs");
    expect(warned).not.toContain("scan.");
  });

  test("opens loopback by an entry for that address", async () => {
    const url = `http://127.0.0.1:${plain.port}/`;
    expect(await reason(send(url, { allowCidrs: ["127.0.0.0/8"] }))).toBe("blocked");
    expect(await reason(send(url, { allowCidrs: ["127.0.0.1"] }))).toBe("delivered");
  });

  test("holds for fixed addresses of names", async () => {
    expect(await reason(send("https://hooks.test/", { allowCidrs: [] }))).toBe("blocked");
  });

  test("keeps the appliance's own listeners closed", async () => {
    const ownEndpoints = () => [{ address: "127.0.0.1", port: plain.port }];
    warnings();
    expect(await reason(send(`http://127.0.0.1:${plain.port}/`, { ownEndpoints }))).toBe("blocked");
    expect(warnings()).toContain("belongs to this appliance itself");
  });

  test("refuses a name with one refused address among its addresses", async () => {
    const dns = await startDnsServer({ "mixed.test": { A: ["127.0.0.1", "10.0.0.1"], AAAA: [] } });
    try {
      expect(await reason(send(`http://mixed.test:${plain.port}/`, { dnsServers: [dns.address] }))).toBe("blocked");
    } finally {
      dns.stop();
    }
  });

  test("resolves a name once for each attempt, so that rebinding gains nothing", async () => {
    const dns = await startDnsServer({ "rebinding.test": { A: { inTurn: [["127.0.0.1"], ["169.254.169.254"]] }, AAAA: [] } });
    const questions = () => dns.queries.filter(({ question }) => question === "A rebinding.test").length;
    const url = `http://rebinding.test:${plain.port}/`;
    try {
      expect(await reason(send(url, { dnsServers: [dns.address] }))).toBe("delivered");
      expect(questions()).toBe(1);
      expect(await reason(send(url, { dnsServers: [dns.address] }))).toBe("blocked");
      expect(questions()).toBe(2);
    } finally {
      dns.stop();
    }
  });

  test("reports an unknown name", async () => {
    const dns = await startDnsServer({});
    try {
      expect(await reason(send("https://nowhere.test/", { dnsServers: [dns.address] }))).toBe("unresolved");
    } finally {
      dns.stop();
    }
  });

  test("refuses http without webhooks.allow_http, before any connection", async () => {
    const before = plain.connections;
    warnings();
    expect(await reason(send(`http://127.0.0.1:${plain.port}/`, { allowHttp: false }))).toBe("blocked");
    expect(warnings()).toContain("webhooks.allow_http");
    expect(plain.connections).toBe(before);
  });
});
