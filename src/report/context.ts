/** Context of the components of a report: the document that shows it. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { CheckDefinition } from "../check/registry.ts";
import type { Texts } from "../text/i18n.ts";
import type { I18n } from "../text/translator.ts";

/** A page of the appliance, or a file. */
export interface ReportDocument {
  readonly i18n: I18n;
  readonly texts: Texts;
  /** Checks of the catalog. */
  readonly checks: readonly CheckDefinition[];
  /** True for a page: it has a script, and it shows times relative to now. */
  readonly live: boolean;
  /** Address of a path of the appliance; null in a file that knows no appliance. */
  readonly hrefOf: (path: string) => string | null;
  /** True for the only report of the document: its sections are landmarks, which need unique names. */
  readonly alone: boolean;
  /** Element id that is unique in the document, for an id that is unique in the report. */
  readonly idOf: (id: string) => string;
}

export const DocumentContext = createContext<ReportDocument | null>(null);

/** @throws Error outside a document. */
export function useDocument(): ReportDocument {
  const document = useContext(DocumentContext);
  if (document === null) throw new Error("a component was rendered without a document");
  return document;
}

export function useI18n(): I18n {
  return useDocument().i18n;
}
