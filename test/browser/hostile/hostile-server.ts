/** The hostile sites, in a process of their own: every page of the list, and paths that send or take without end. */
import { sendReady } from "../../bench/child.ts";
import { siteIdentity, testAuthority } from "../../support/certificates.ts";
import { hostilePages } from "./hostile-pages.ts";
import { type HostilePage, hostileHost, otherHosts, type PageFile } from "./page.ts";

export interface HostileServerReady {
  readonly port: number;
  readonly rootPem: string;
}

/** Long enough that a page fills a memory limit, if nothing stops it. */
const defaultLoadMs = 5_000;
const chunkBytes = 1_000_000;
/** Chromium accepts at most 256 KB of response fields. */
const manyHeaders = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`x-more-${at}`, "y".repeat(20_000)]));

/** Bodies that are computed, computed once. */
const computed = new Map<PageFile, Uint8Array>();

function bodyOf(file: PageFile): string | Uint8Array {
  if (typeof file.body === "string") return file.body;
  const body = computed.get(file) ?? file.body();
  computed.set(file, body);
  return body;
}

/** A body that never ends, as fast as the client reads. */
function endless(chunk: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(1);
      controller.enqueue(chunk);
    },
  });
}

/** Requests of each document so far, by the name of its page. */
const visits = new Map<string, number>();

function documentOf({ body, loadMs = defaultLoadMs, ...page }: HostilePage): Response {
  const visit = (visits.get(page.name) ?? 0) + 1;
  visits.set(page.name, visit);
  const headers = { "content-type": "text/html; charset=utf-8", ...page.headers };
  if (page.document !== undefined) return new Response(page.document(visit) as BodyInit, { headers });
  const delay = loadMs === 0 ? "" : `<img src="/late?${loadMs}" alt="">`;
  return new Response(`<!doctype html><html><head><title>hostile</title></head><body>${delay}${body}</body></html>`, {
    headers,
  });
}

async function answer(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const [, name = "", fileName = ""] = pathname.split("/");
  const page = hostilePages.find((each) => each.name === name);
  const file = page?.files?.[fileName];
  if (file !== undefined)
    return new Response(bodyOf(file) as BodyInit, { headers: { "content-type": file.type, ...page?.headers, ...file.headers } });
  if (page !== undefined) return documentOf(page);
  if (name === "endless") return new Response(endless(new Uint8Array(chunkBytes)));
  if (name === "events")
    return new Response(endless(new TextEncoder().encode(`data: ${"x".repeat(chunkBytes)}\n\n`)), {
      headers: { "content-type": "text/event-stream" },
    });
  if (name === "many-headers") return new Response("x", { headers: manyHeaders });
  if (name === "late") await Bun.sleep(Number(search.slice(1)));
  if (name === "sink") for await (const _ of request.body ?? []);
  return new Response("not found", { status: 404 });
}

if (import.meta.main) {
  const identity = siteIdentity(hostileHost, { names: [hostileHost, ...otherHosts] });
  const text = "x".repeat(chunkBytes);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: 1e12,
    tls: { cert: identity.certificateChainPem, key: identity.privateKeyPem },
    fetch: (request, server) => (new URL(request.url).pathname === "/socket" && server.upgrade(request) ? undefined : answer(request)),
    websocket: {
      open: (socket) => void setInterval(() => socket.send(text), 5).unref(),
      message: () => {},
      backpressureLimit: 16 * chunkBytes,
    },
    error: () => new Response("", { status: 500 }),
  });
  const ready: HostileServerReady = { port: Number(server.port), rootPem: testAuthority().root.pem };
  sendReady(ready);
}
