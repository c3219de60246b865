/** Hostile pages for the browser: their servers, their responses and the expected readings. */
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { expect } from "vitest";
import type { ProbeFailure } from "../../src/evidence/evidence.ts";
import type { PageReadings } from "../../src/probe/browser/page.ts";
import { siteIdentity } from "./certificates.ts";
import { egressTo } from "./servers.ts";
import { openTestBrowser, type TestBrowser } from "./test-browser.ts";
import { deadlines, factsOf, visit } from "./visits.ts";

/** Overhead of a machine under load, beyond the deadlines. A page that blocks the browser exceeds any allowance. */
const allowanceMs = 60_000;
const endMs = deadlines.navigationMs + deadlines.settleMaxMs + deadlines.documentMs + allowanceMs;

/** Time limit of a hostile visit with the healthy one after it, on a machine under load. */
export const testMs = 300_000;
/** Deadlines that no visit reaches, even on a slow machine. */
export const unhurried = { ...deadlines, navigationMs: testMs, documentMs: testMs };

/** Behaviour of a hostile server after the head of a request. */
type Answer = (socket: Socket, target: string) => void;

export interface HostilePage {
  readonly words: string;
  /** Answers the main document, and other requests unless `others` is given. */
  readonly answer: Answer;
  readonly others?: Answer;
  readonly url?: string;
  readonly deadlines?: typeof deadlines;
  readonly expect: (readings: PageReadings) => void;
}

export const crlf = "\r\n";

export function respond(socket: Socket, body: string | Uint8Array, fields: readonly string[] = [], status = "200 OK"): void {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const type = fields.some((field) => /^content-type:/i.test(field)) ? [] : ["Content-Type: text/html; charset=utf-8"];
  const head = [`HTTP/1.1 ${status}`, ...type, ...fields, `Content-Length: ${bytes.length}`, "Connection: close", "", ""].join(crlf);
  socket.write(head);
  socket.end(bytes);
}

/** A document with this body, and 404 for other requests. */
export const html =
  (body: string, fields: readonly string[] = []): Answer =>
  (socket) =>
    respond(socket, `<!doctype html><html><head><title>hostile</title></head><body>${body}</body></html>`, fields);

export const script = (code: string, fields: readonly string[] = []): Answer => html(`<script>${code}</script>`, fields);

export const notFound: Answer = (socket) => respond(socket, "", ["Content-Type: text/plain"], "404 Not Found");

/** Writes endlessly, as fast as the other side reads. */
export const forever =
  (head: string, chunk: string): Answer =>
  (socket) => {
    socket.write(head);
    const more = () => {
      if (socket.destroyed) return;
      if (socket.write(chunk)) setTimeout(more, 1);
      else socket.once("drain", more);
    };
    more();
  };

export const htmlHead = `HTTP/1.1 200 OK${crlf}Content-Type: text/html${crlf}`;

/** The document was answered and read, in spite of its scripts. */
export const isRead = (readings: PageReadings) => {
  expect(factsOf(readings, "navigation").finalStatus).toBe(200);
  expect(factsOf(readings, "page").url).toMatch(/^https:\/\/site\.test\//);
  expect(factsOf(readings, "dom").title).toBe("hostile");
  expect(readings.requests.status).toBe("read");
};

/** The answer is known. The document may be unreadable, but no other page replaced it. */
export const isAnswered = (readings: PageReadings) => {
  expect(factsOf(readings, "navigation").finalUrl).toMatch(/^https:\/\/(site|certificate)\.test\//);
  expect(factsOf(readings, "page").status).toBe(200);
  if (readings.dom.status === "read") expect(readings.dom.facts.title).toBe("hostile");
  else expect(readings.requests).toEqual(readings.dom);
};

export const hasNoDom = (readings: PageReadings) => {
  isAnswered(readings);
  expect(readings.dom).toEqual({ status: "failed", because: "timeout" });
};

export const hasCrashed = ({ navigation, page, dom }: PageReadings) => {
  const crashed = { status: "failed", because: "crashed" } as const;
  expect([navigation, page, dom]).toEqual([crashed, crashed, crashed]);
};

/** Expectation for a page that may keep its whole browser busy: then a blank page does not answer in time. */
export const isAnsweredUnlessBroken = (readings: PageReadings) => {
  if (readings.navigation.status === "read") isAnswered(readings);
  else hasCrashed(readings);
};

export const isNothing =
  (...because: readonly ProbeFailure[]) =>
  ({ navigation, page, dom, requests }: PageReadings) => {
    for (const reading of [navigation, page, dom, requests]) {
      expect(reading.status).toBe("failed");
      expect(because).toContain(reading.status === "failed" ? reading.because : "");
    }
  };

const healthy: Answer = (socket, target) => {
  if (target !== "/healthy") return respond(socket, "document.title = 'healthy'", ["Content-Type: text/javascript"]);
  respond(socket, "<!doctype html><title></title><script src=/healthy.js></script>", ["X-Mark: healthy", "Set-Cookie: a=b; Secure"]);
};

export interface HostileSite {
  readonly browser: TestBrowser;
  /** Visits a hostile page and then a healthy one, and checks the readings of both. */
  check(page: HostilePage): Promise<void>;
  /** Visits a page that loads until `breakIt` is called, and then a healthy one. */
  visitBroken(breakIt: () => unknown): Promise<PageReadings>;
  /** Expects that no visit left a browser context or a window. */
  expectNothingLeft(): Promise<void>;
  stop(): Promise<void>;
}

/** Servers with and without client certificates, and a browser for them. */
export async function openHostileSite(): Promise<HostileSite> {
  const browser = openTestBrowser();
  let current: HostilePage | null = null;
  const servers: Server[] = [];
  const sockets = new Set<Socket>();

  /** Answers `/healthy` correctly, and everything else like the current hostile page. */
  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    let head = "";
    socket.on("data", (chunk: Buffer) => {
      if (head.includes(crlf + crlf)) return;
      head += chunk.toString("latin1");
      if (!head.includes(crlf + crlf)) return;
      const target = head.split(" ")[1] ?? "/";
      if (target.startsWith("/healthy")) return healthy(socket, target);
      const isDocument = /sec-fetch-dest: document/i.test(head);
      const answer = isDocument ? current?.answer : (current?.others ?? notFound);
      answer?.(socket, target);
    });
  }

  async function listen(server: Server): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }

  const identity = siteIdentity("site.test");
  const tls = { cert: identity.certificateChainPem, key: identity.privateKeyPem };
  const ports = {
    site: await listen(createTlsServer(tls, serve)),
    certificate: await listen(createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false }, serve)),
    demand: await listen(createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, serve)),
  };
  await browser.use(async () => {});

  async function visitUrl(url: string, given = deadlines): Promise<{ readonly readings: PageReadings; readonly tookMs: number }> {
    const egress = egressTo({
      "site.test:443": { port: ports.site },
      "certificate.test:443": { port: ports.certificate },
      "demand.test:443": { port: ports.demand },
    });
    const fromMs = performance.now();
    const readings = await visit(browser, url, {
      egress,
      deadlines: given,
      signal: AbortSignal.timeout(given === deadlines ? endMs : testMs),
    });
    return { readings, tookMs: performance.now() - fromMs };
  }

  async function expectHealthy(): Promise<void> {
    const { readings } = await visitUrl("https://site.test/healthy", unhurried);
    expect(factsOf(readings, "navigation")).toMatchObject({
      hops: [],
      finalUrl: "https://site.test/healthy",
      finalStatus: 200,
      remoteAddress: "127.0.0.1",
    });
    const page = factsOf(readings, "page");
    expect(page.headers).toContainEqual({ name: "X-Mark", value: "healthy", truncated: false });
    expect(page.setCookies.map(({ line }) => line)).toEqual(["a=<redacted>; Secure"]);
    const dom = factsOf(readings, "dom");
    expect(dom.title).toBe("healthy");
    expect(dom.subresources.map(({ url }) => url)).toEqual(["https://site.test/healthy.js"]);
    expect(factsOf(readings, "requests")).toEqual({
      total: 1,
      insecure: [],
      insecureDropped: 0,
      integrityBlocked: [],
      integrityPolicyBlocked: [],
      loadedOrigins: [{ kind: "script", origin: "https://site.test" }],
      loadedOriginsDropped: 0,
      cspViolations: [],
      cspViolationsDropped: 0,
    });
  }

  return {
    browser,
    async check(page) {
      current = page;
      const { readings, tookMs } = await visitUrl(page.url ?? "https://site.test/", page.deadlines);
      expect(tookMs).toBeLessThan(endMs);
      await expectHealthy();
      page.expect(readings);
    },
    async visitBroken(breakIt) {
      current = { words: "", answer: html("<script src=/never></script>"), others: () => void breakIt(), expect: () => {} };
      // Only the failure can end this visit, because no deadline comes within the time of the test.
      const { readings } = await visitUrl("https://site.test/", unhurried);
      await expectHealthy();
      return readings;
    },
    async expectNothingLeft() {
      const left = await browser.use(async ({ connection }) => {
        const { browserContextIds } = await connection.send("Target.getBrowserContexts");
        const { targetInfos } = await connection.send("Target.getTargets");
        return { contexts: browserContextIds, urls: targetInfos.map(({ url }) => url).filter((url) => url.includes("site.test")) };
      });
      expect(left).toEqual({ contexts: [], urls: [] });
    },
    async stop() {
      await browser.stop();
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
}
