/** SSRF guard for ports that the appliance opens during scans (proxies, browser control), shared by all threads. */

let blocked = new Uint8Array(new SharedArrayBuffer(0x1_0000));

export function blockedPorts(): SharedArrayBuffer {
  return blocked.buffer as SharedArrayBuffer;
}

/** Replaces this thread's ports by the memory of another thread, so that both see the same ones. */
export function shareBlockedPorts(memory: SharedArrayBuffer): void {
  blocked = new Uint8Array(memory);
}

export function blockPort(port: number): void {
  blocked[port] = 1;
}

/** Called once the listener is closed. A killed thread leaves its few ports blocked, which does no harm. */
export function unblockPort(port: number): void {
  blocked[port] = 0;
}

export function isBlockedPort(port: number): boolean {
  return blocked[port] === 1;
}
