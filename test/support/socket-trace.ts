/** All socket calls of a process tree, as strace sees them: threads and child processes too, from the first instruction on. */
import { readFileSync } from "node:fs";
import { isMissing } from "./missing.ts";

const strace = Bun.which("strace");

/** Condition for `describe.skipIf`. */
export function straceIsMissing(): boolean {
  return isMissing(strace !== null, "strace (Debian: strace)");
}

/** Every call by which a process can reach out. What io_uring sends is no call of its own, so its set-up is traced. */
const calls = "socket,bind,listen,connect,sendto,sendmsg,sendmmsg,io_uring_setup";

/** Command of the program under strace, which writes to the file. The process that it starts is the program itself. */
export function traced(program: readonly string[], file: string): readonly string[] {
  const seen = ["-yy", "-s", "0", "-o", file, "-e", `trace=${calls}`];
  return [strace ?? "strace", "--daemonize=grandchild", "--follow-forks", "--quiet=all", "--seccomp-bpf", ...seen, ...program];
}

export interface SocketTrace {
  /** Threads and processes that called. */
  readonly threads: number;
  /** Number of calls that named a destination, by `TCP 127.0.0.1:443`, `UDP ...` or `NETLINK`. */
  readonly destinations: ReadonlyMap<string, number>;
  /** Number of calls that sent, by protocol; on connected sockets too. */
  readonly sends: ReadonlyMap<string, number>;
  /** Those on connected sockets, by destination. A datagram socket may be connected without sending. */
  readonly sendsTo: ReadonlyMap<string, number>;
  /** `127.0.0.1:8787`: sockets of the tree that listen. */
  readonly listening: ReadonlySet<string>;
  /** `UDP 224.0.0.251:5353`: addresses with a port that the process chose by itself. */
  readonly bound: ReadonlySet<string>;
  /** Families of all sockets, as in `AF_INET`. */
  readonly families: ReadonlySet<string>;
  readonly ioUrings: number;
}

const linePattern = /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/;
/** Protocol, then the number of the socket or its local address, then the address of its peer. */
const socketPattern = /^\d+<([\w-]+)(?::\[(.*?)(?:->(.*?))?\]>)?/;
const addressPattern =
  /sa_family=(AF_\w+)(?:, sin6?_port=htons\((\d+)\), [^}]*?(?:inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"))?/g;

/** Reads the files of `traced`. @throws Error for a line that is not understood. */
export function readSocketTrace(files: readonly string[]): SocketTrace {
  const trace = {
    threads: 0,
    destinations: new Map<string, number>(),
    sends: new Map<string, number>(),
    sendsTo: new Map<string, number>(),
    listening: new Set<string>(),
    bound: new Set<string>(),
    families: new Set<string>(),
    ioUrings: 0,
  };
  for (const file of files) {
    /** Socket of the call that a thread has begun. */
    const begun = new Map<string, TracedSocket>();
    const connected = new Map<string, string>();
    for (const line of readFileSync(file, "utf8").split("\n")) {
      const [, thread = "", resumed, started, rest = ""] = linePattern.exec(line) ?? [];
      const call = resumed ?? started;
      // `???`: the thread was killed before strace could read which call it began.
      if (call === undefined && line !== "" && !/^\d+ +(---|\+\+\+|\?\?\?\()/.test(line)) throw new Error(`strace wrote ${line}`);
      if (call === undefined) continue;
      const socket = started === undefined ? (begun.get(thread) ?? socketIn("")) : socketIn(rest);
      begun.set(thread, socket);
      if (call === "io_uring_setup") trace.ioUrings += 1;
      if (call === "listen" && socket.protocol.startsWith("TCP")) trace.listening.add(socket.name);
      if (call === "socket" && started !== undefined) trace.families.add(rest.split(",", 1)[0] ?? "");
      if (call.startsWith("send") && started !== undefined) {
        count(trace.sends, socket.protocol);
        const peer = socket.peer === "" ? connected.get(`${socket.protocol} ${socket.name}`) : `${socket.protocol} ${socket.peer}`;
        if (peer !== undefined) count(trace.sendsTo, peer);
      }
      for (const { family, place, port } of addressesIn(rest)) {
        const destination = place === "" ? family : `${socket.protocol} ${place}`;
        if (call === "bind" && port > 0) trace.bound.add(destination);
        if (call === "connect") connected.set(`${socket.protocol} ${socket.name}`, destination);
        if (call === "connect" || call.startsWith("send")) count(trace.destinations, destination);
      }
    }
    trace.threads += begun.size;
  }
  return trace;
}

interface TracedSocket {
  readonly protocol: string;
  /** Number or local address. */
  readonly name: string;
  /** Empty if strace does not know it. */
  readonly peer: string;
}

function socketIn(rest: string): TracedSocket {
  const [, protocol = "?", name = "", peer = ""] = socketPattern.exec(rest) ?? [];
  return { protocol, name, peer };
}

function addressesIn(rest: string) {
  return Array.from(rest.matchAll(addressPattern), ([, family = "", port, ipv4, ipv6]) => ({
    family: family.replace("AF_", ""),
    place: port === undefined ? "" : `${ipv4 ?? `[${ipv6}]`}:${port}`,
    port: Number(port ?? 0),
  }));
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
