/** Ports on which the appliance itself listens for the sake of scans (proxies, browser control): shut to every scan, of whatever thread. */

/** One byte for each port; not zero while it is ours. */
let shut = new Uint8Array(new SharedArrayBuffer(0x1_0000));

/** What a worker thread is handed, to `shareBlockedPorts` it. */
export function blockedPorts(): SharedArrayBuffer {
  return shut.buffer as SharedArrayBuffer;
}

/** From now on this thread knows the ports of the thread that gave this, and the other way round. */
export function shareBlockedPorts(given: SharedArrayBuffer): void {
  shut = new Uint8Array(given);
}

export function blockPort(port: number): void {
  shut[port] = 1;
}

/** For a port that is listened on no more. That of a thread which was ended from outside stays shut, and is one of many. */
export function unblockPort(port: number): void {
  shut[port] = 0;
}

export function isBlockedPort(port: number): boolean {
  return shut[port] === 1;
}
