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
export const progressSubjects = "assay.progress.*.*.*";
export const presenceSubjects = "assay.worker.*.*";

export function scanSubject(location: string, token: string): string {
  return `assay.scan.${location}.${token}`;
}

/** All jobs of one location. */
export function locationScanSubjects(location: string): string {
  return scanSubject(location, "*");
}

/** Exactly the subjects of parts of one location: any other message of a worker is not stored. */
export function locationResultSubjects(location: string): string {
  return `assay.result.${location}.*.*.*.*.*`;
}

export function cancelSubject(location: string): string {
  return `assay.cancel.${location}`;
}

export interface WorkerAddress {
  readonly location: string;
  /** See `isWorkerId`. */
  readonly worker: string;
}

export function presenceSubject({ location, worker }: WorkerAddress): string {
  return `assay.worker.${location}.${worker}`;
}

export function progressSubject({ location, worker }: WorkerAddress, token: string): string {
  return `assay.progress.${location}.${worker}.${token}`;
}

/** One delivery of one job to one worker: its parts never mix with parts of another delivery. */
export interface JobDelivery extends WorkerAddress {
  readonly token: string;
  /** Attempt of the stored scan, from 1. */
  readonly attempt: number;
  /** Delivery of the job by JetStream, from 1. */
  readonly delivery: number;
}

export interface ResultAddress extends JobDelivery {
  /** Number of the part from 0; null for the manifest. */
  readonly part: number | null;
}

export function resultSubject({ location, worker, token, attempt, delivery, part }: ResultAddress): string {
  return `assay.result.${location}.${worker}.${token}.${attempt}.${delivery}.${part ?? manifestPart}`;
}

/** Identifies a message of a result. The worker is part of it: none can stand for another. */
export function resultKeyOf({ worker, token, attempt, delivery, part }: ResultAddress): string {
  return `${worker}.${token}.${attempt}.${delivery}.${part ?? manifestPart}`;
}

/** Address in the subject of a part of a result; null for other subjects. */
export function parseResultSubject(subject: string): ResultAddress | null {
  const [assay, kind, location = "", worker = "", token = "", attempt = "", delivery = "", part = "", ...rest] = subject.split(".");
  if (assay !== "assay" || kind !== "result" || rest.length > 0) return null;
  const isPart = part === manifestPart || wholeNumber.test(part);
  if (!isAddress(location, worker) || !isScanToken(token) || !isPart) return null;
  if (!wholeNumber.test(attempt) || !wholeNumber.test(delivery)) return null;
  const numbers = { attempt: Number(attempt), delivery: Number(delivery), part: part === manifestPart ? null : Number(part) };
  return { location, worker, token, ...numbers };
}

/** Address in the subject of a worker's presence; null for other subjects. */
export function parsePresenceSubject(subject: string): WorkerAddress | null {
  const [assay, kind, location = "", worker = "", ...rest] = subject.split(".");
  if (assay !== "assay" || kind !== "worker" || rest.length > 0 || !isAddress(location, worker)) return null;
  return { location, worker };
}

/** Address in the subject of a scan's progress; null for other subjects. */
export function parseProgressSubject(subject: string): (WorkerAddress & { readonly token: string }) | null {
  const [assay, kind, location = "", worker = "", token = "", ...rest] = subject.split(".");
  if (assay !== "assay" || kind !== "progress" || rest.length > 0) return null;
  return isAddress(location, worker) && isScanToken(token) ? { location, worker, token } : null;
}

function isAddress(location: string, worker: string): boolean {
  return parseLocation(location) !== null && workerId.test(worker);
}
