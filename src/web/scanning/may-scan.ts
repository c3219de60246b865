/** Who may start a scan in the browser: whoever is signed in, and guests where the operator lets them. */
import type { Visit } from "../visit.ts";

export function mayScan({ account, settings: { scanning } }: Pick<Visit, "account" | "settings">): boolean {
  return account !== null || scanning.guests.mayScan;
}
