/** Context of the components of a page: the part of the visit that they may read. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ReportDocument } from "../report/context.ts";
import type { SharedVisit } from "./visit.ts";

export const VisitContext = createContext<SharedVisit | null>(null);

/** @throws Error outside a page. */
export function useVisit(): SharedVisit {
  const visit = useContext(VisitContext);
  if (visit === null) throw new Error("a page component was rendered without a visit");
  return visit;
}

/** The page of a visit, for the components that it shares with files. */
export function pageDocument({ i18n, settings: { texts, catalog } }: SharedVisit): ReportDocument {
  return { i18n, texts, checks: catalog.checks, live: true, alone: true, hrefOf: (path) => path, idOf: (id) => id };
}
