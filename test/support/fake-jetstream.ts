/**
 * JetStream in memory, as far as the fleet uses it: work queues with limits, pull consumers, acknowledgements and direct reads.
 * `jetstream-cases.ts` holds the same cases against this model and a real nats-server.
 */
import { AckPolicy, type ConsumerConfig, type StreamConfig } from "@nats-io/jetstream";
import { headers, type MsgHdrs } from "@nats-io/transport-node";

export interface WireMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly reply?: string | undefined;
  readonly headers?: MsgHdrs | undefined;
}

/** What the model needs of the server around it. */
export interface JetStreamNetwork {
  /** Delivers to subscribers of `to`; `message.subject` may be another one. */
  deliver(to: string, message: WireMessage): void;
  hasSubscriber(subject: string): boolean;
}

interface Stored {
  readonly seq: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: MsgHdrs | undefined;
  readonly atMs: number;
}

interface PullRequest {
  readonly reply: string;
  left: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

type Answer = Readonly<Record<string, unknown>>;

const nanosecondsPerMs = 1_000_000;
const subjectsPerPage = 100_000;
const noData = new Uint8Array();

const failed = (code: number, errorCode: number, description: string): Answer => ({
  error: { code, err_code: errorCode, description },
});
const streamNotFound = failed(404, 10_059, "stream not found");
const consumerNotFound = failed(404, 10_014, "consumer not found");
const tooFewServers = failed(400, 10_005, "no suitable peers for placement");
const notStored = (description: string) => failed(503, 10_077, description);

/** Wildcards as in nats-server: `*` is one token, `>` is all that follow. */
export function subjectMatches(pattern: string, subject: string): boolean {
  const wanted = pattern.split(".");
  const tokens = subject.split(".");
  if (wanted.at(-1) === ">") return tokens.length >= wanted.length && matchTokens(wanted.slice(0, -1), tokens);
  return tokens.length === wanted.length && matchTokens(wanted, tokens);
}

function matchTokens(wanted: readonly string[], tokens: readonly string[]): boolean {
  return wanted.every((token, at) => token === "*" || token === tokens[at]);
}

const textOf = (data: Uint8Array) => Buffer.from(data).toString();
const jsonOf = (data: Uint8Array) => (data.length === 0 ? {} : JSON.parse(textOf(data))) as Record<string, unknown>;

class FakeConsumer {
  readonly stream: FakeStream;
  readonly name: string;
  readonly network: JetStreamNetwork;
  config: Partial<ConsumerConfig>;
  /** Deliveries that wait for an answer, by sequence. */
  readonly pending = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #counts = new Map<number, number>();
  #again: number[] = [];
  #waiting: PullRequest[] = [];
  #deliveredSeq = 0;
  #consumerSeq = 0;

  constructor(stream: FakeStream, name: string, config: Partial<ConsumerConfig>, network: JetStreamNetwork) {
    this.stream = stream;
    this.name = name;
    this.config = config;
    this.network = network;
  }

  info(): Answer {
    this.#waiting = this.#waiting.filter(({ reply }) => this.network.hasSubscriber(reply));
    return {
      ...{ stream_name: this.stream.name, name: this.name, config: this.config },
      delivered: { consumer_seq: this.#consumerSeq, stream_seq: this.#deliveredSeq },
      ...{ num_ack_pending: this.pending.size, num_waiting: this.#waiting.length },
    };
  }

  pull(reply: string, { batch = 1, expires }: { readonly batch?: number; readonly expires?: number }): void {
    const expiresMs = (expires ?? 0) / nanosecondsPerMs;
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((each) => each !== request);
      const status = headers(408, "Request Timeout");
      status.set("Nats-Pending-Messages", String(request.left));
      status.set("Nats-Pending-Bytes", "0");
      this.network.deliver(reply, { subject: reply, data: noData, headers: status });
    }, expiresMs);
    const request: PullRequest = { reply, left: batch, timer };
    this.#waiting.push(request);
    this.pump();
  }

  /** Delivers while there are both a message and a request of a subscriber. */
  pump(): void {
    for (;;) {
      const [request] = this.#waiting;
      if (request === undefined) return;
      const message = this.network.hasSubscriber(request.reply) ? this.#next() : undefined;
      if (message === undefined && this.network.hasSubscriber(request.reply)) return;
      if (message !== undefined) {
        this.#deliver(request.reply, message);
        request.left--;
      }
      if (message !== undefined && request.left > 0) continue;
      clearTimeout(request.timer);
      this.#waiting.shift();
    }
  }

  /** `verb` as in ADR-15. An answer counts for the message, whichever delivery it names. */
  answer(seq: number, verb: string): void {
    if (!this.pending.has(seq)) return;
    if (verb === "+WPI") this.#awaitAnswer(seq);
    else if (verb.startsWith("-NAK")) {
      const { delay = 0 } = jsonOf(Buffer.from(verb.slice(4).trim())) as { readonly delay?: number };
      if (delay === 0) this.#lapse(seq);
      else this.#awaitAnswer(seq, delay / nanosecondsPerMs);
    } else this.stream.remove(seq);
  }

  forget(seq: number): void {
    clearTimeout(this.pending.get(seq));
    this.pending.delete(seq);
    this.#counts.delete(seq);
    this.#again = this.#again.filter((each) => each !== seq);
  }

  #next(): Stored | undefined {
    if (this.pending.size >= (this.config.max_ack_pending ?? 1_000)) return undefined;
    const again = this.#again.shift();
    if (again !== undefined) return this.stream.messages.get(again);
    const { filter_subject: filter = ">" } = this.config;
    return [...this.stream.messages.values()].find(({ seq, subject }) => seq > this.#deliveredSeq && subjectMatches(filter, subject));
  }

  #deliver(to: string, { seq, subject, data, headers: sent, atMs }: Stored): void {
    const count = (this.#counts.get(seq) ?? 0) + 1;
    this.#counts.set(seq, count);
    this.#deliveredSeq = Math.max(this.#deliveredSeq, seq);
    this.#consumerSeq++;
    this.#awaitAnswer(seq);
    const reply = `$JS.ACK.${this.stream.name}.${this.name}.${count}.${seq}.${this.#consumerSeq}.${atMs}000000.0`;
    this.network.deliver(to, { subject, data, headers: sent, reply });
  }

  #awaitAnswer(seq: number, ms = (this.config.ack_wait ?? 30_000 * nanosecondsPerMs) / nanosecondsPerMs): void {
    clearTimeout(this.pending.get(seq));
    this.pending.set(
      seq,
      setTimeout(() => this.#lapse(seq), ms),
    );
  }

  /** The next delivery, or the advisory that none is left. */
  #lapse(seq: number): void {
    clearTimeout(this.pending.get(seq));
    this.pending.delete(seq);
    const most = this.config.max_deliver ?? -1;
    if (most > 0 && (this.#counts.get(seq) ?? 0) >= most) {
      const subject = `$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${this.stream.name}.${this.name}`;
      const advisory = { stream: this.stream.name, consumer: this.name, stream_seq: seq, deliveries: most };
      this.network.deliver(subject, { subject, data: Buffer.from(JSON.stringify(advisory)) });
      return;
    }
    this.#again.push(seq);
    this.pump();
  }
}

class FakeStream {
  readonly name: string;
  config: Partial<StreamConfig>;
  readonly messages = new Map<number, Stored>();
  readonly consumers = new Map<string, FakeConsumer>();
  readonly #ids = new Map<string, { readonly seq: number; readonly atMs: number }>();
  #lastSeq = 0;

  constructor(name: string, config: Partial<StreamConfig>) {
    this.name = name;
    this.config = config;
  }

  publish({ subject, data, headers: sent }: WireMessage): Answer {
    const {
      max_msg_size: sizeMax = -1,
      max_bytes: bytesMax = -1,
      max_msgs_per_subject: perSubject = -1,
      max_msgs: most = -1,
    } = this.config;
    const id = sent?.get("Nats-Msg-Id") ?? "";
    const known = this.#ids.get(id);
    const windowMs = (this.config.duplicate_window ?? 120_000 * nanosecondsPerMs) / nanosecondsPerMs;
    if (known !== undefined && Date.now() - known.atMs < windowMs) return { stream: this.name, seq: known.seq, duplicate: true };
    if (sizeMax >= 0 && data.length > sizeMax) return failed(400, 10_054, "message size exceeds maximum allowed");
    const stored = [...this.messages.values()];
    if (perSubject > 0 && stored.filter((each) => each.subject === subject).length >= perSubject)
      return notStored("maximum messages per subject exceeded");
    if (most >= 0 && stored.length >= most) return notStored("maximum messages exceeded");
    if (bytesMax >= 0 && this.#bytes() + data.length > bytesMax) return notStored("maximum bytes exceeded");
    const seq = ++this.#lastSeq;
    this.messages.set(seq, { seq, subject, data, headers: sent, atMs: Date.now() });
    if (id !== "") this.#ids.set(id, { seq, atMs: Date.now() });
    for (const consumer of this.consumers.values()) consumer.pump();
    return { stream: this.name, seq };
  }

  remove(seq: number): boolean {
    const existed = this.messages.delete(seq);
    for (const consumer of this.consumers.values()) consumer.forget(seq);
    for (const consumer of this.consumers.values()) consumer.pump();
    return existed;
  }

  info({ subjects_filter: filter }: { readonly subjects_filter?: string }): Answer {
    const subjects: Record<string, number> = {};
    for (const { subject } of this.messages.values())
      if (filter !== undefined && subjectMatches(filter, subject)) subjects[subject] = (subjects[subject] ?? 0) + 1;
    const state = { messages: this.messages.size, bytes: this.#bytes(), last_seq: this.#lastSeq };
    if (filter === undefined) return { config: this.config, state };
    return { config: this.config, state: { ...state, subjects }, total: Object.keys(subjects).length, limit: subjectsPerPage, offset: 0 };
  }

  #bytes(): number {
    return [...this.messages.values()].reduce((sum, { data }) => sum + data.length, 0);
  }
}

export class FakeJetStream {
  /** Servers that are up; a stream has no more replicas. */
  servers = 1;
  readonly #network: JetStreamNetwork;
  readonly #streams = new Map<string, FakeStream>();

  constructor(network: JetStreamNetwork) {
    this.#network = network;
  }

  /** Loses everything, as a server whose disk was replaced. */
  lose(): void {
    for (const stream of this.#streams.values()) for (const seq of [...stream.messages.keys()]) stream.remove(seq);
    this.#streams.clear();
  }

  /** Subjects of the stored messages, by sequence. */
  subjects(stream: string): readonly string[] {
    return [...(this.#streams.get(stream)?.messages.values() ?? [])].map(({ subject }) => subject);
  }

  /** Null if no stream and no part of JetStream has this subject. */
  handle(message: WireMessage): WireMessage | "no answer" | null {
    const { subject, reply = "" } = message;
    if (subject.startsWith("$JS.ACK.")) return this.#acknowledge(message);
    const [, , ...words] = subject.split(".");
    if (subject.startsWith("$JS.API.DIRECT.GET.")) return this.#directGet(words.slice(2), message);
    if (subject.startsWith("$JS.API.CONSUMER.MSG.NEXT.")) {
      const consumer = this.#consumer(words[3], words[4]);
      if (consumer === undefined) return null;
      consumer.pull(reply, jsonOf(message.data));
      return "no answer";
    }
    if (subject.startsWith("$JS.API.")) return answerOf(reply, this.#api(words, jsonOf(message.data)));
    const stream = [...this.#streams.values()].find(({ config }) => config.subjects?.some((each) => subjectMatches(each, subject)));
    return stream === undefined ? null : answerOf(reply, stream.publish(message));
  }

  #consumer(stream = "", name = ""): FakeConsumer | undefined {
    return this.#streams.get(stream)?.consumers.get(name);
  }

  #acknowledge({ subject, data, reply = "" }: WireMessage): WireMessage | "no answer" {
    const [, , stream, consumer, , seq] = subject.split(".");
    this.#consumer(stream, consumer)?.answer(Number(seq), textOf(data));
    return reply === "" ? "no answer" : { subject: reply, data: noData };
  }

  #api([noun, verb, ...names]: readonly string[], body: Record<string, unknown>): Answer {
    if (noun === "INFO") return { memory: 0, storage: 0, streams: this.#streams.size, consumers: 0, limits: {} };
    const name = (noun === "STREAM" && verb === "MSG" ? names[1] : names[0]) ?? "";
    const stream = this.#streams.get(name);
    if (noun === "STREAM" && Number(body.num_replicas ?? 1) > this.servers) return tooFewServers;
    if (noun === "STREAM" && verb === "CREATE") return this.#createStream(name, body as Partial<StreamConfig>);
    if (stream === undefined) return streamNotFound;
    if (noun === "CONSUMER") return this.#consumerApi(stream, verb, names[1] ?? "", body);
    if (verb === "UPDATE") stream.config = body as Partial<StreamConfig>;
    if (verb === "MSG") return stream.remove(Number(body.seq)) ? { success: true } : failed(400, 10_043, `sequence ${body.seq} not found`);
    if (verb === "DELETE") return { success: this.#streams.delete(name) };
    return stream.info(body as { readonly subjects_filter?: string });
  }

  #createStream(name: string, config: Partial<StreamConfig>): Answer {
    if (this.#streams.has(name)) return failed(400, 10_058, "stream name already in use with a different configuration");
    const stream = new FakeStream(name, { num_replicas: 1, ...config });
    this.#streams.set(name, stream);
    return stream.info({});
  }

  #consumerApi(stream: FakeStream, verb: string | undefined, name: string, body: Record<string, unknown>): Answer {
    const known = stream.consumers.get(name);
    if (verb !== "CREATE") return known?.info() ?? consumerNotFound;
    const config = { ack_policy: AckPolicy.Explicit, ...(body.config as Partial<ConsumerConfig>) };
    if (known !== undefined) known.config = config;
    const consumer = known ?? new FakeConsumer(stream, name, config, this.#network);
    stream.consumers.set(name, consumer);
    return consumer.info();
  }

  #directGet([name = "", ...subject]: readonly string[], { data, reply = "" }: WireMessage): WireMessage | null {
    const stream = this.#streams.get(name);
    if (stream === undefined) return null;
    const query = jsonOf(data) as { readonly seq?: number; readonly next_by_subj?: string };
    const all = [...stream.messages.values()];
    const wanted = subject.join(".");
    const found =
      wanted !== ""
        ? all.findLast((each) => each.subject === wanted)
        : query.next_by_subj === undefined
          ? all.find(({ seq }) => seq === query.seq)
          : all.find((each) => each.seq >= (query.seq ?? 0) && subjectMatches(query.next_by_subj ?? "", each.subject));
    if (found === undefined) return { subject: reply, data: noData, headers: headers(404, "Message Not Found") };
    const about = headers();
    about.set("Nats-Stream", name);
    about.set("Nats-Subject", found.subject);
    about.set("Nats-Sequence", String(found.seq));
    about.set("Nats-Time-Stamp", new Date(found.atMs).toISOString());
    return { subject: reply, data: found.data, headers: about };
  }
}

function answerOf(reply: string, answer: Answer): WireMessage | "no answer" {
  return reply === "" ? "no answer" : { subject: reply, data: Buffer.from(JSON.stringify(answer)) };
}
