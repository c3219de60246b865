/** Knows which requests are under way, and so when a page has come to rest. */

export interface Traffic {
  begin(requestId: string): void;
  /** A redirect, say: the request is still under way, and the page is not at rest. */
  touch(): void;
  /** Nothing for a request that never began, or has ended. */
  end(requestId: string): void;
  /** Resolves when no request was under way for `quietMs`, or after `maxMs`, or on abort. */
  settled(quietMs: number, maxMs: number, signal: AbortSignal): Promise<void>;
}

export function watchTraffic(): Traffic {
  const underWay = new Set<string>();
  let quietSinceMs = performance.now();

  const touch = () => {
    quietSinceMs = performance.now();
  };

  return {
    begin: (requestId) => {
      underWay.add(requestId);
      touch();
    },
    touch,
    end: (requestId) => {
      if (underWay.delete(requestId)) touch();
    },
    settled: (quietMs, maxMs, signal) =>
      new Promise((resolve) => {
        const untilMs = performance.now() + maxMs;
        let timer: ReturnType<typeof setTimeout> | undefined;
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const look = () => {
          const nowMs = performance.now();
          const quietForMs = underWay.size === 0 ? nowMs - quietSinceMs : 0;
          if (quietForMs >= quietMs || nowMs >= untilMs) return done();
          timer = setTimeout(look, Math.max(1, Math.min(quietMs - quietForMs, untilMs - nowMs)));
        };
        touch();
        signal.addEventListener("abort", done, { once: true });
        if (signal.aborted) done();
        else look();
      }),
  };
}
