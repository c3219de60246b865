/** Whether the connection to nats-server is up, and what it reports. */
import type { NatsConnection } from "@nats-io/transport-node";

export interface Link {
  isUp(): boolean;
  /** Resolves at once, or at the next connection; rejects when the signal aborts. */
  connected(signal: AbortSignal): Promise<void>;
}

export interface LinkEvents {
  readonly onLost: () => void;
  readonly onRestored: () => void;
  /** Such as a refused subject. */
  readonly onError: (error: Error) => void;
}

/** Follows a connection that is up now, until it is closed for good. */
export function followLink(connection: NatsConnection, { onLost, onRestored, onError }: LinkEvents): Link {
  let isUp = true;
  const waiting = new Set<() => void>();

  async function follow(): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === "disconnect" && isUp) {
        isUp = false;
        onLost();
      } else if (status.type === "reconnect") {
        isUp = true;
        for (const resume of waiting) resume();
        waiting.clear();
        onRestored();
      } else if (status.type === "error") onError(status.error);
    }
    isUp = false;
  }
  void follow();

  return {
    isUp: () => isUp,
    connected: (signal) =>
      new Promise((resolve, reject) => {
        const aborted = () => {
          waiting.delete(resume);
          reject(signal.reason);
        };
        const resume = () => {
          signal.removeEventListener("abort", aborted);
          resolve();
        };
        if (isUp) resolve();
        else if (signal.aborted) aborted();
        else {
          waiting.add(resume);
          signal.addEventListener("abort", aborted, { once: true });
        }
      }),
  };
}
