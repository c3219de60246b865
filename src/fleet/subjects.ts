/** Names in NATS: streams, consumers and subjects. Permissions of workers depend on their order: the location, then the worker. */
import { parseLocation } from "../parse/location.ts";

const scanStreamPrefix = "ASSAY_SCANS_";

/**
 * Work queue of the jobs of one location: one message per scan. A consumer of the stream has the name of the location.
 *
 * No two locations share a stream. An acknowledgement names a message by its number in the stream. JetStream removes it, whichever
 * consumer it was delivered to: a worker could remove jobs of other locations.
 */
export function scanStreamOf(location: string): string {
  return `${scanStreamPrefix}${location}`;
}

/** Location of a stream of jobs; null for any other stream. */
export function locationOfScanStream(stream: string): string | null {
  return stream.startsWith(scanStreamPrefix) ? parseLocation(stream.slice(scanStreamPrefix.length)) : null;
}

const resultStreamPrefix = "ASSAY_RESULTS_";

/** Work queue of the parts of results of one location: its workers can fill no other. */
export function resultStreamOf(location: string): string {
  return `${resultStreamPrefix}${location}`;
}

/** Whether a head makes streams of that name. */
export function isStreamOfFleet(stream: string): boolean {
  const isResultStream = stream.startsWith(resultStreamPrefix) && parseLocation(stream.slice(resultStreamPrefix.length)) !== null;
  return isResultStream || locationOfScanStream(stream) !== null;
}

/** The only consumer of a stream of results. */
export const resultConsumer = "head";

/** Last part of a result: sizes and SHA-256 of the others. */
export const manifestPart = "manifest";

/** Public nkey of a user, in base32. Identifies a worker. */
const workerId = /^U[A-Z2-7]{55}$/;
const scanToken = /^[\w-]{1,64}$/;
const wholeNumber = /^\d{1,9}$/;

/** Tokens are part of subjects: without dots and wildcards. */
export function isScanToken(text: string): boolean {
  return scanToken.test(text);
}

export function isWorkerId(text: string): boolean {
  return workerId.test(text);
}

/** A worker subscribes below its own prefix, so that no worker reads the answers for another. */
export function inboxPrefixOf(worker: string): string {
  return `_INBOX_${worker}`;
}

/** Replies to requests of other accounts. nats-server makes these subjects, and refuses them from clients. */
const crossAccountReplies = "_R_.";

/**
 * Whether the head may answer a worker there. The worker names the reply subject of its requests: without this rule
 * it could make the head publish to the API of JetStream.
 */
export function isReplyToWorker(reply: string, worker: string): boolean {
  return reply.startsWith(crossAccountReplies) || reply.startsWith(`${inboxPrefixOf(worker)}.`);
}

export const headSubject = "assay.head";

/** What the parts of a subject say. One delivery of a job has one address, so that parts of two deliveries never mix. */
export interface ResultAddress {
  readonly location: string;
  /** See `isWorkerId`. */
  readonly worker: string;
  readonly token: string;
  /** Attempt of the stored scan, from 1. */
  readonly attempt: number;
  /** Delivery of the job by JetStream, from 1. */
  readonly delivery: number;
  /** Number of the part from 0; null for the manifest. */
  readonly part: number | null;
}

export type WorkerAddress = Pick<ResultAddress, "location" | "worker">;
export type JobDelivery = Omit<ResultAddress, "part">;

/** Value of each part of a subject; undefined for any other text. */
const readers: { readonly [N in keyof ResultAddress]: (text: string) => ResultAddress[N] | undefined } = {
  location: (text) => parseLocation(text) ?? undefined,
  worker: (text) => (isWorkerId(text) ? text : undefined),
  token: (text) => (isScanToken(text) ? text : undefined),
  attempt: numberOf,
  delivery: numberOf,
  part: (text) => (text === manifestPart ? null : numberOf(text)),
};

function numberOf(text: string): number | undefined {
  return wholeNumber.test(text) ? Number(text) : undefined;
}

/** Subjects of one kind of message, as in `assay.worker.berlin.UABC...`. */
function defineSubjects<N extends keyof ResultAddress>(kind: string, names: readonly N[]) {
  type Address = Pick<ResultAddress, N>;
  const textOf = (value: Address[N] | undefined) => (value === undefined ? "*" : (value ?? manifestPart));
  const matching = (address: Partial<Address>) => ["assay", kind, ...names.map((name) => textOf(address[name]))].join(".");
  return {
    of: (address: Address): string => matching(address),
    /** Subject with a wildcard for each part that is not given. */
    matching,
    /** Null for subjects of other kinds and forms. */
    parse: (subject: string): Address | null => {
      const [assay, first, ...texts] = subject.split(".");
      if (assay !== "assay" || first !== kind || texts.length !== names.length) return null;
      const values = names.map((name, at) => [name, readers[name](texts[at] ?? "")] as const);
      return values.some(([, value]) => value === undefined) ? null : (Object.fromEntries(values) as unknown as Address);
    },
  };
}

export const scanSubjects = defineSubjects("scan", ["location", "token"]);
export const cancelSubjects = defineSubjects("cancel", ["location"]);
export const presenceSubjects = defineSubjects("worker", ["location", "worker"]);
export const progressSubjects = defineSubjects("progress", ["location", "worker", "token"]);
/** The worker is part of the subject of a result: none can stand for another. */
export const resultSubjects = defineSubjects("result", ["location", "worker", "token", "attempt", "delivery", "part"]);
