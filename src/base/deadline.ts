/** Time limits that let go of everything as soon as they are no longer needed; `AbortSignal.timeout` holds on to its listeners until it fires. */

/** Runs `action` with a signal that aborts after `limitMs`, or when one of `parents` does. What the action does about it is its own affair. */
export async function withDeadline<T>(
  limitMs: number,
  parents: readonly (AbortSignal | undefined)[],
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, limitMs);
  for (const parent of parents) {
    if (parent?.aborted) end();
    else parent?.addEventListener("abort", end, { once: true });
  }
  try {
    return await action(ending.signal);
  } finally {
    clearTimeout(timer);
    for (const parent of parents) parent?.removeEventListener("abort", end);
  }
}

/** The promise's value, or `otherwise` when that takes longer than `limitMs`. */
export async function within<T, U>(limitMs: number, promise: Promise<T>, otherwise: U): Promise<T | U> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<U>((resolve) => {
    timer = setTimeout(resolve, limitMs, otherwise);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
