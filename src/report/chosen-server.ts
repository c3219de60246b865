/** Server that a report shows lines for: chosen by the reader, else guessed from the response of the site. */
import type { Evidence } from "../evidence/evidence.ts";
import { guessServer, type ServerName } from "../text/servers/server-lines.ts";

/** Server that remediations show lines for; `explain` shows none. */
export type ServerPreference = ServerName | "explain";

export interface ChosenServer {
  readonly name: ServerPreference;
  /** Whether a header of the site names it. */
  readonly guessed: boolean;
}

/** The most common one, for sites whose headers name none. */
const defaultServer = "nginx";

/** Headers that name a product, in the order of their weight: X-Powered-By names the application behind the server. */
const namingHeaders = ["server", "x-powered-by"];

/** `preference`: null before the reader has chosen. */
export function chosenServer(preference: ServerPreference | null, evidence: Evidence | null): ChosenServer {
  if (preference !== null) return { name: preference, guessed: false };
  const headers = evidence?.page.status === "read" ? evidence.page.facts.headers : [];
  for (const naming of namingHeaders) {
    const guess = guessServer(headers.find(({ name }) => name.toLowerCase() === naming)?.value ?? null);
    if (guess !== null) return { name: guess, guessed: true };
  }
  return { name: defaultServer, guessed: false };
}
