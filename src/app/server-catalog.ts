/** The checks of a server, as reports of this program need them. */
import { faultsOfCheck } from "../catalog/validate.ts";
import type { CheckTexts, Locale } from "../check/check.ts";
import type { AnyCheck, CheckDefinition } from "../check/registry.ts";
import { passed } from "../check/verdict.ts";
import { createTexts, type Texts } from "../text/i18n.ts";
import type { CheckListBody } from "./server-client.ts";
import { ServerError } from "./server-client.ts";

/** Parts without which a report is complete but for a detail. A newer server may declare what this program does not know. */
const optionalParts = ["area", "standards", "headers", "fixes"];

/** @throws ServerError for checks that this program cannot show. */
export function serverCatalogOf({ checks }: CheckListBody): { readonly checks: readonly CheckDefinition[]; readonly texts: Texts } {
  const known = checks.map((check) => knownPartOf(check));
  const textsIn = (locale: Locale) => Object.fromEntries(checks.map(({ key, texts }) => [key, texts[locale] as unknown as CheckTexts]));
  return { checks: known, texts: createTexts({ "en-gb": textsIn("en-gb"), "de-de": textsIn("de-de") }, known) };
}

/** Readings and conditions belong to judging, which the server has done. */
function knownPartOf({ texts: given, ...declared }: CheckListBody["checks"][number]): CheckDefinition {
  const { appliesTo: _conditions, consults: _readings, headersFrom: _source, ...shown } = declared as Partial<CheckDefinition>;
  const check = { ...shown, reads: [], judge: passed } as unknown as AnyCheck;
  const texts = given as unknown as Readonly<Record<Locale, CheckTexts>>;
  const faults = faultsOfCheck(check, texts);
  const grave = faults.find(({ path }) => !optionalParts.includes(path[0] ?? ""));
  if (grave !== undefined)
    throw new ServerError(
      "invalid",
      `this program cannot show the check "${declared.key}" of the server: ${grave.reason}; update this program`,
    );
  const unknown = faults.map(({ path }) => path[0]);
  return Object.fromEntries(
    Object.entries(check).filter(([part]) => part !== "judge" && !unknown.includes(part)),
  ) as unknown as CheckDefinition;
}
