/** DevTools connection to the running browser: one per thread, with a new context and page per scan. */
import { type CDPSession, Connection, type ConnectionTransport, type Protocol } from "puppeteer-core";
import { within } from "../../base/deadline.ts";

export type { CDPSession, Protocol };

const commandMs = 10_000;
const connectMs = 5_000;
/** A context that does not close within this holds a page that hangs. */
const closeMs = 5_000;

/** Connection of this thread. A restarted browser has another endpoint, and so gets a new connection. */
let current: { readonly endpoint: string; readonly connection: Promise<Connection> } | null = null;

/** @throws Error when the browser is gone. */
export function connectBrowser(endpoint: string): Promise<Connection> {
  if (current?.endpoint === endpoint) return current.connection;
  const forget = () => {
    if (current?.endpoint === endpoint) current = null;
  };
  const connection = openConnection(endpoint, forget);
  connection.catch(forget);
  current = { endpoint, connection };
  return connection;
}

async function openConnection(endpoint: string, onClose: () => void): Promise<Connection> {
  const socket = new WebSocket(endpoint);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the browser's control connection did not open")), connectMs);
    socket.onopen = () => {
      clearTimeout(timer);
      resolve();
    };
    socket.onerror = () => {
      clearTimeout(timer);
      reject(new Error("the browser's control connection cannot be opened"));
    };
  });
  const transport: ConnectionTransport = { send: (message) => socket.send(message), close: () => socket.close() };
  socket.onmessage = ({ data }) => transport.onmessage?.(String(data));
  socket.onclose = () => {
    transport.onclose?.();
    onClose();
  };
  socket.onerror = () => {};
  return new Connection(endpoint, transport, 0, commandMs);
}

export interface BrowserPage {
  readonly session: CDPSession;
  readonly targetId: string;
  /** Closes the page's context. If that fails, closes the whole browser; its owner starts another. */
  close(): Promise<void>;
}

/** A blank page in a new context, whose connections all go through `proxyUrl`. @throws Error when the browser is gone. */
export async function openPage(connection: Connection, proxyUrl: string): Promise<BrowserPage> {
  const { browserContextId: contextId } = await connection.send("Target.createBrowserContext", {
    // The context ends with its connection, even if this thread dies.
    disposeOnDetach: true,
    proxyServer: proxyUrl,
    // SSRF guard: by default Chromium connects to loopback without the proxy.
    proxyBypassList: "<-loopback>",
  });
  const close = () => closeContext(connection, contextId);
  try {
    const [{ targetId }] = await Promise.all([
      connection.send("Target.createTarget", { url: "about:blank", browserContextId: contextId }),
      connection.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId: contextId }),
    ]);
    const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
    const session = connection.session(sessionId);
    if (session === null) throw new Error("the browser attached to no page");
    return { session, targetId, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function closeContext(connection: Connection, contextId: string): Promise<void> {
  const closed = connection.send("Target.disposeBrowserContext", { browserContextId: contextId }).then(
    () => true,
    () => true,
  );
  if (await within(closeMs, closed, false)) return;
  await connection.send("Browser.close").catch(() => {});
}
