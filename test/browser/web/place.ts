/** State of a page, and how to reach it. */
import { submit } from "./forms.ts";
import type { Fixtures, Person, TestServers } from "./servers.ts";
import type { OpenedPage, Visitor } from "./visitors.ts";

export interface Place {
  readonly name: string;
  /** Visitor; a guest by default. */
  readonly who?: Person;
  /** Server; `busy` by default. */
  readonly on?: "busy" | "fresh" | "strict";
  /** Status; 200 by default. */
  readonly status?: number;
  /** The page reloads itself without script. */
  readonly refreshes?: true;
  readonly go: (visitor: Visitor, fixtures: Fixtures, servers: TestServers) => Promise<OpenedPage>;
}

export function at(path: string | ((fixtures: Fixtures, servers: TestServers) => string)): Place["go"] {
  return (visitor, fixtures, servers) => visitor.open(typeof path === "string" ? path : path(fixtures, servers));
}

/** Form submitted from the page at `path`, without client-side validation. */
export function sent(
  path: string | ((fixtures: Fixtures, servers: TestServers) => string),
  fields: Readonly<Record<string, string>>,
  form?: string,
): Place["go"] {
  return async (visitor, fixtures, servers) => {
    await at(path)(visitor, fixtures, servers);
    return submit(visitor.page, fields, { unchecked: true, ...(form === undefined ? {} : { form }) });
  };
}

/** A German word that is wider than a phone. */
export const longWord = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft";
