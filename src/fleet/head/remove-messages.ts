/** Removes messages of streams one by one. */
import type { JetStreamManager } from "@nats-io/jetstream";
import { parseResultSubject } from "../subjects.ts";
import { isMissingInNats } from "./streams.ts";

/** A subject has one message; more when its worker or the connection failed. A sweep removes what is left. */
const messagesPerSubjectMax = 16;

/** None for a stream that does not exist: a location whose workers were all revoked may have none. */
export async function subjectsOf(manager: JetStreamManager, stream: string, filter: string): Promise<readonly string[]> {
  const info = await unlessMissing(manager.streams.info(stream, { subjects_filter: filter }));
  return Object.keys(info?.state.subjects ?? {});
}

/**
 * Deletes messages one by one. A purge by subject would make nats-server 2.9.10 skip other messages: its consumers then count them as
 * delivered, and no worker gets them.
 */
export async function removeMessages(manager: JetStreamManager, stream: string, filter: string): Promise<void> {
  const subjects = await subjectsOf(manager, stream, filter);
  // The head takes every manifest from its consumer, which stands still when a manifest on its way is deleted.
  for (const subject of subjects) if (parseResultSubject(subject)?.part !== null) await removeSubject(manager, stream, subject);
}

async function removeSubject(manager: JetStreamManager, stream: string, subject: string): Promise<void> {
  for (let count = 0; count < messagesPerSubjectMax; count++) {
    // The oldest first: once the newest is deleted, nats-server 2.9.10 finds no other by "last".
    const message = await unlessMissing(manager.direct.getMessage(stream, { seq: 1, next_by_subj: subject }));
    if (message === null) return;
    // It may have been acknowledged in the meantime.
    await unlessMissing(manager.streams.deleteMessage(stream, message.seq, false));
  }
}

/** Null if the stream or the message does not exist. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error) => {
    if (!isMissingInNats(error)) throw error;
    return null;
  });
}
