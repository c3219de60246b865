/** Context of all components: the visit and its translator. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { I18n } from "./i18n.ts";
import type { Visit } from "./visit.ts";

export const VisitContext = createContext<Visit | null>(null);

/** @throws Error outside a page. */
export function useVisit(): Visit {
  const visit = useContext(VisitContext);
  if (visit === null) throw new Error("a page component was rendered without a visit");
  return visit;
}

export function useI18n(): I18n {
  return useVisit().i18n;
}
