/** Outcomes of the forms of a page: a redirect carries the outcome in the query parameter `done`, and the page that follows shows it. */
import { Notice } from "../../report/components/notice.tsx";
import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";

export interface Outcomes<O extends string = string> {
  readonly path: string;
  readonly texts: Readonly<Record<O, TextPath>>;
  /** Outcomes that are no success. */
  readonly warnings: readonly O[];
}

/** `textOf` names the text of each outcome. */
export function outcomesOf<const O extends string>(
  path: string,
  names: readonly O[],
  textOf: (outcome: O) => TextPath,
  warnings: readonly O[] = [],
): Outcomes<O> {
  const texts = Object.fromEntries(names.map((name) => [name, textOf(name)])) as Record<O, TextPath>;
  return { path, texts, warnings };
}

/** `path`: where each record has its own page. */
export function redirectWith<O extends string>(visit: Visit, outcomes: Outcomes<O>, outcome: O, path = outcomes.path): Response {
  return redirect(visit, `${path}?done=${outcome}`);
}

/** Announced at once by screen readers. Null if the query names no outcome. */
export function OutcomeNotice({ of: { texts, warnings } }: { readonly of: Outcomes }) {
  const { i18n, url } = useVisit();
  const outcome = url.searchParams.get("done") ?? "";
  const text = Object.hasOwn(texts, outcome) ? texts[outcome] : undefined;
  if (text === undefined) return null;
  return <Notice kind={warnings.includes(outcome) ? "warn" : "good"} alert text={i18n.t(text)} />;
}
