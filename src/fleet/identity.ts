/** nkey pairs of head and workers. A seed is secret; the public key is the id. */
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createUser, fromPublic, fromSeed } from "@nats-io/nkeys";
import { isWorkerId } from "./subjects.ts";

export interface FleetIdentity {
  /** Public nkey of a user. */
  readonly id: string;
  /** Secret half, in base32. */
  readonly seed: string;
}

/** A file holds no seed. The message is one sentence for the operator, without the content. */
export class SeedFileError extends Error {
  override readonly name = "SeedFileError";
}

const headSeedName = "nats-head.nk";
/** Only the owner may read a seed. */
export const seedFileMode = 0o600;

/** A host name, or any other short text on one line. It is written to nats.conf and to logs. */
const workerName = /^[A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?$/;

export function isWorkerName(text: string): boolean {
  return workerName.test(text);
}

export function makeIdentity(): FleetIdentity {
  const pair = createUser();
  return { id: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
}

/** Whether the text is a public nkey of a user, checksum included. */
export function isPublicUserKey(text: string): boolean {
  try {
    return isWorkerId(text) && fromPublic(text).getPublicKey() === text;
  } catch {
    return false;
  }
}

export function headSeedFile(dataDir: string): string {
  return join(dataDir, headSeedName);
}

/** Seed of the head in its data directory, made at first use. @throws SeedFileError, or an error of the system */
export function headIdentity(dataDir: string): FleetIdentity {
  const path = headSeedFile(dataDir);
  if (!existsSync(path)) writeOnce(path, `${makeIdentity().seed}\n`);
  return readIdentity(path);
}

/** @throws SeedFileError, or an error of the system */
export function readIdentity(path: string): FleetIdentity {
  const seed = readFileSync(path, "utf8").trim();
  try {
    const id = fromSeed(new TextEncoder().encode(seed)).getPublicKey();
    if (isWorkerId(id)) return { id, seed };
  } catch {
    // Not a seed at all: the same sentence.
  }
  throw new SeedFileError(`${path} holds no nkey seed of a user, which begins with SU`);
}

/** A link is made as a whole or not at all, and never replaces the file of another process. */
function writeOnce(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: seedFileMode, flag: "w" });
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(temporary);
  }
}
