/** Two heads on one set of streams would take each other's results: the second one gives way. */
import { type NatsConnection, NoRespondersError } from "@nats-io/transport-node";
import { type Clock, pause, randomId } from "../../base/clock.ts";
import { fleetProtocol, type HeadNote } from "../messages.ts";
import { headSubject } from "../subjects.ts";
import { parseHeadNote } from "./notes.ts";

/** Replies within the account of the head. Elsewhere a reply would make this head publish what others choose. */
const replyPrefix = "_INBOX.";
const triesMax = 4;

export interface HeadClaim {
  /** Another head that answers; null without. */
  otherHead(waitMs: number): Promise<HeadNote | null>;
}

/** Answers other heads that ask, for as long as the connection lives. */
export function claimHead(connection: NatsConnection, instance: string, clock: Clock): HeadClaim {
  const own: HeadNote = { v: fleetProtocol, instance, process: randomId(clock) };
  let isInCharge = false;
  connection.subscribe(headSubject, {
    callback: (error, { reply = "" }) => {
      if (error === null && isInCharge && reply.startsWith(replyPrefix)) connection.publish(reply, JSON.stringify(own));
    },
  });

  async function ask(maxWait: number): Promise<HeadNote | null> {
    // In charge before it asks: of two that start at once, at least one learns of the other.
    isInCharge = true;
    const other = await findHead(connection, maxWait, own.process);
    if (other !== null) isInCharge = false;
    return other;
  }

  return {
    otherHead: async (waitMs) => {
      let other = await ask(waitMs);
      // Two that start at once both give way: the first to ask again stays.
      for (let tries = 1; other !== null && tries < triesMax; tries++) {
        await pause(clock, waitMs * tries * clock.random());
        other = await ask(waitMs);
      }
      return other;
    },
  };
}

/** A head that answers, other than the process that is named; null without. */
export async function findHead(connection: NatsConnection, maxWait: number, except: string | null = null): Promise<HeadNote | null> {
  try {
    for await (const { data } of await connection.requestMany(headSubject, "", { strategy: "timer", maxWait })) {
      const note = parseHeadNote(data);
      if (note !== null && note.process !== except) return note;
    }
  } catch (error) {
    if (!(error instanceof NoRespondersError)) throw error;
  }
  return null;
}
