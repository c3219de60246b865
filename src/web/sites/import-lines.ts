/** What becomes of each line of an imported list of sites. */
import { planTerms } from "../../account/account-operations.ts";
import { type CsvFault, type CsvLine, csvBytesMax, csvSitesMax, parseSiteCsv } from "../../parse/site-csv.ts";
import type { SiteFields } from "../../sites/site-fields.ts";
import { previewSites, type SiteActor } from "../../sites/site-operations.ts";
import type { SiteRefusal } from "../../store/sites.ts";
import { initialValues } from "../components/forms.tsx";
import type { Visit } from "../visit.ts";
import { readInput, siteForm } from "./site-form.tsx";

export interface ImportLine {
  /** In the list, from 1. */
  readonly line: number;
  /** As typed. */
  readonly url: string;
  readonly outcome: { readonly fields: SiteFields } | { readonly text: string };
}

/** Each line is judged for itself: one bad line leaves the others. */
export async function readImport(
  visit: Visit,
  actor: SiteActor,
  text: string,
): Promise<readonly ImportLine[] | { readonly fault: string }> {
  const parsed = parseSiteCsv(text);
  if ("fault" in parsed) return { fault: faultText(visit, parsed.fault) };
  const lines = parsed.lines.map((csvLine) => readLine(visit, csvLine));
  const sites = lines.flatMap(({ outcome }) => ("fields" in outcome ? [outcome.fields] : []));
  const previews = await previewSites(visit.settings, actor, sites);
  const previewOf = new Map(sites.map((fields, at) => [fields, previews[at]]));
  const lineOf = new Map<string, number>();
  return lines.map((line) => {
    if ("text" in line.outcome) return line;
    const { fields } = line.outcome;
    const refusal = previewOf.get(fields);
    if (typeof refusal === "string") return { ...line, outcome: { text: refusalText(visit, actor, refusal, lineOf.get(fields.url)) } };
    lineOf.set(fields.url, line.line);
    return line;
  });
}

/** `line`: an earlier one with the same address. */
function refusalText({ i18n }: Visit, { owner }: SiteActor, refusal: SiteRefusal, line: number | undefined): string {
  if (refusal === "full") return i18n.count("sites.form.full", planTerms[owner.plan].sites);
  return line === undefined ? i18n.t("sites.form.taken") : i18n.t("sites.import.repeated", { line: i18n.number(line) });
}

function readLine(visit: Visit, csvLine: CsvLine): ImportLine {
  const { line } = csvLine;
  if (csvLine.site === null) return { line, url: "", outcome: { text: visit.i18n.t(`sites.import.faults.${csvLine.fault}`) } };
  const { tags, ...texts } = csvLine.site;
  const read = readInput(visit, { ...initialValues(siteForm), ...texts, tags: tags.join(",") });
  return { line, url: texts.url, outcome: "fields" in read ? read : { text: [...read.errors.values()].join(" ") } };
}

function faultText({ i18n }: Visit, fault: CsvFault): string {
  const megabyte = 1_048_576;
  return i18n.t(`sites.import.faults.${fault}`, { lines: i18n.number(csvSitesMax), megabytes: i18n.number(csvBytesMax / megabyte) });
}
