/** Tracks open requests of a page, to detect network idle. */

export interface Traffic {
  begin(requestId: string): void;
  /** Restarts the idle time, for example on a redirect of an open request. */
  touch(): void;
  end(requestId: string): void;
  /** Resolves when no request was open for `quietMs`, after `maxMs`, or on abort. */
  settled(quietMs: number, maxMs: number, signal: AbortSignal): Promise<void>;
}

export function watchTraffic(): Traffic {
  const open = new Set<string>();
  let quietSinceMs = performance.now();

  const touch = () => {
    quietSinceMs = performance.now();
  };

  return {
    begin: (requestId) => {
      open.add(requestId);
      touch();
    },
    touch,
    end: (requestId) => {
      if (open.delete(requestId)) touch();
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
        const poll = () => {
          const nowMs = performance.now();
          const quietForMs = open.size === 0 ? nowMs - quietSinceMs : 0;
          if (quietForMs >= quietMs || nowMs >= untilMs) return done();
          timer = setTimeout(poll, Math.max(1, Math.min(quietMs - quietForMs, untilMs - nowMs)));
        };
        touch();
        signal.addEventListener("abort", done, { once: true });
        if (signal.aborted) done();
        else poll();
      }),
  };
}
