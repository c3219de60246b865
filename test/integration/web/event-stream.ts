/** Client for server-sent events that records order, timing and framing. */

export interface StreamEvent {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

export interface EventStream {
  readonly response: Response;
  readonly events: readonly StreamEvent[];
  /** Number of comments, which serve as heartbeats. */
  readonly heartbeats: () => number;
  /** Chunks that do not end at an event boundary. */
  readonly torn: readonly string[];
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>;
  leave(): void;
}

export async function openEvents(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventStream> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  const events: StreamEvent[] = [];
  const torn: string[] = [];
  let heartbeats = 0;

  async function read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const text = decoder.decode(chunk);
      if (!text.endsWith("\n\n")) torn.push(text);
      for (const block of text.split("\n\n").filter((each) => each !== "")) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (name !== undefined) events.push({ name, data: JSON.parse(data ?? "null"), atMs: performance.now() });
        if (block.startsWith(":")) heartbeats++;
      }
    }
  }

  return {
    response,
    events,
    heartbeats: () => heartbeats,
    torn,
    // An aborted read ends the stream too.
    ended: read().catch(() => {}),
    leave: () => leaving.abort(),
  };
}
