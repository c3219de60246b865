/** The reader of socket traces, on lines as strace writes them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readSocketTrace } from "../../support/socket-trace.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-trace-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(...lines: readonly string[]) {
  const file = join(folder, "trace");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return readSocketTrace([file]);
}

test("destinations of connections and of datagrams, with calls that strace interrupts", () => {
  const { destinations, sends, sendsTo, listening, families, bound, threads, ioUrings } = read(
    "11  socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_TCP) = 10<TCP:[5]>",
    '11  bind(10<TCP:[5]>, {sa_family=AF_INET, sin_port=htons(5353), sin_addr=inet_addr("127.0.0.1")}, 16) = 0',
    "11  listen(10<TCP:[127.0.0.1:5353]>, 512) = 0",
    "11  listen(9<TCPv6:[[::1]:8787]>, 512) = 0",
    '12  connect(22<UDP:[0.0.0.0:59]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.1")}, 16 <unfinished ...>',
    '13  connect(7<TCP:[6]>, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("198.51.100.7")}, 16) = -1 EINPROGRESS (x)',
    "12  <... connect resumed>)            = 0",
    "12  sendmmsg(22<UDP:[0.0.0.0:59]>,  <unfinished ...>",
    '12  <... sendmmsg resumed>[{msg_hdr={msg_name={sa_family=AF_INET, sin_port=htons(99), sin_addr=inet_addr("192.0.2.1")}, msg_namelen=16}}], 1, 0) = 1',
    '13  sendto(8<UDPv6:[9]>, ""..., 9, 0, {sa_family=AF_INET6, sin6_port=htons(1900), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "ff02::c", &sin6_addr), sin6_scope_id=2}, 28) = 9',
    '13  sendto(8<UNIX-STREAM:[9->10]>, ""..., 9, MSG_NOSIGNAL, NULL, 0) = 9',
    "13  connect(8<UNIX-STREAM:[9]>, {sa_family=AF_UNIX, sun_path=@1}, 3) = 0",
    '13  sendto(7<TCP:[192.0.2.9:5->198.51.100.7:443]>, ""..., 9, MSG_NOSIGNAL, NULL, 0) = 9',
    "13  io_uring_setup(8, {flags=0}) = 5",
    "13  --- SIGCHLD {si_signo=SIGCHLD} ---",
    "13  +++ exited with 0 +++",
  );
  expect(Object.fromEntries(destinations)).toEqual({
    "UDP 127.0.0.1:53": 1,
    "TCP 198.51.100.7:443": 1,
    "UDP 192.0.2.1:99": 1,
    "UDPv6 [ff02::c]:1900": 1,
    UNIX: 1,
  });
  expect(Object.fromEntries(sends)).toEqual({ UDP: 1, UDPv6: 1, "UNIX-STREAM": 1, TCP: 1 });
  expect(Object.fromEntries(sendsTo)).toEqual({ "UDP 127.0.0.1:53": 1, "TCP 198.51.100.7:443": 1, "UNIX-STREAM 10": 1 });
  expect([...listening]).toEqual(["127.0.0.1:5353", "[::1]:8787"]);
  expect([[...families], [...bound], threads, ioUrings]).toEqual([["AF_INET"], ["TCP 127.0.0.1:5353"], 3, 1]);
});

test("a line that is not understood is an error", () => {
  expect(() => read("strace: Process 5 detached")).toThrow("Process 5 detached");
});
