/** Decides who may start scans in the browser: signed-in users, and guests if the operator allows them. */
import type { Visit } from "../visit.ts";

export function mayScan({ account, settings: { scanning } }: Pick<Visit, "account" | "settings">): boolean {
  return account !== null || scanning.guests.mayScan;
}
