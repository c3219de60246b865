/** What becomes of each line of an imported list of sites. */
import { planTerms } from "../../account/plans.ts";
import { type CsvFault, type CsvLine, csvBytesMax, csvSitesMax, parseSiteCsv } from "../../parse/site-csv.ts";
import type { SiteFields } from "../../sites/site-fields.ts";
import type { Visit } from "../visit.ts";
import type { SiteAccess } from "./site-access.ts";
import { readInput } from "./site-input.ts";

export interface ImportLine {
  /** In the list, from 1. */
  readonly line: number;
  /** As typed. */
  readonly url: string;
  readonly outcome: { readonly fields: SiteFields } | { readonly text: string };
}

/** Each line is judged for itself: one bad line leaves the others. */
export function readImport(visit: Visit, access: SiteAccess, text: string): readonly ImportLine[] | { readonly fault: string } {
  const { i18n } = visit;
  const parsed = parseSiteCsv(text);
  if ("fault" in parsed) return { fault: faultText(visit, parsed.fault) };
  const stored = visit.settings.store.sites.list(access.owner.id);
  const urls = new Map<string, number | null>(stored.map(({ url }) => [url, null]));
  let left = planTerms[access.owner.plan].sites - stored.length;
  return parsed.lines.map((csvLine) => {
    const { line, url, outcome } = readLine(visit, csvLine);
    if ("text" in outcome) return { line, url, outcome };
    const known = urls.get(outcome.fields.url);
    if (known === null) return { line, url, outcome: { text: i18n.t("sites.form.taken") } };
    if (known !== undefined) return { line, url, outcome: { text: i18n.t("sites.import.repeated", { line: i18n.number(known) }) } };
    if (left <= 0) return { line, url, outcome: { text: i18n.count("sites.form.full", planTerms[access.owner.plan].sites) } };
    left--;
    urls.set(outcome.fields.url, line);
    return { line, url, outcome };
  });
}

function readLine(visit: Visit, csvLine: CsvLine): ImportLine {
  const { line } = csvLine;
  if (csvLine.site === null) return { line, url: "", outcome: { text: visit.i18n.t(`sites.import.faults.${csvLine.fault}`) } };
  const { url, name, client, tags } = csvLine.site;
  const input = { url, name, client, tags: tags.join(","), pages: "", location: "", every: "weekly", cron: "", zone: "" };
  const read = readInput(visit, input);
  return { line, url, outcome: "fields" in read ? read : { text: [...read.faults.values()].join(" ") } };
}

function faultText({ i18n }: Visit, fault: CsvFault): string {
  const megabyte = 1_048_576;
  return i18n.t(`sites.import.faults.${fault}`, { lines: i18n.number(csvSitesMax), megabytes: i18n.number(csvBytesMax / megabyte) });
}
