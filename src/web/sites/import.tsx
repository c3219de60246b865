/** `/sites/import`: adds the watched sites of a pasted table, after a preview of each line. */
import { planTerms } from "../../account/account-operations.ts";
import { type CsvFault, type CsvLine, csvBytesMax, csvSitesMax, parseSiteCsv } from "../../parse/site-csv.ts";
import { MarkedText } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { SiteFields } from "../../sites/site-fields.ts";
import { addSites, previewSites, type SiteActor } from "../../sites/site-operations.ts";
import type { SiteRefusal } from "../../store/sites.ts";
import { TextAreaField } from "../components/field.tsx";
import { initialValues } from "../components/forms.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { formMalformed } from "../errors.ts";
import { Form } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import type { SignedInVisit, Visit } from "../visit.ts";
import { ownerPath, type SiteAccess, siteActor } from "./site-access.ts";
import { readInput, siteForm } from "./site-form.tsx";
import { TagChips } from "./site-sections.tsx";
import { sitesPage } from "./sites-frame.tsx";

const path = "/sites/import";
/** Percent-encoding writes up to three bytes for one. */
export const importBytesMax = 3 * csvBytesMax + 16_384;
const rows = 12;
const urlCharsShown = 120;
const example = [
  "url,name,client,tags",
  "https://www.example.com/,Example,Example Ltd,shop|live",
  "https://example.org/,,Example Ltd,",
].join("\n");

export const getImport: GetFor<"editors"> = (visit, access) => importPage(visit, access, { text: "", lines: null, fault: null });

export const postImport: PostFor<"editors"> = async (visit, access, form) => {
  const button = form.text("do");
  if (button !== "preview" && button !== "add") throw formMalformed();
  const text = form.text("text");
  const read = await readImport(visit, siteActor(visit, access), text);
  if ("fault" in read) return importPage(visit, access, { text, lines: null, fault: read.fault });
  return button === "add" ? importSites(visit, access, read) : importPage(visit, access, { text, lines: read, fault: null });
};

async function importSites(visit: SignedInVisit, access: SiteAccess, lines: readonly ImportLine[]): Promise<Response> {
  const sites = lines.flatMap(({ outcome }) => ("fields" in outcome ? [outcome.fields] : []));
  const outcomes = await addSites(visit.settings, siteActor(visit, access), sites);
  const count = outcomes.filter((outcome) => typeof outcome !== "string").length;
  const left = lines.length - count;
  return redirect(visit, ownerPath("/sites", access, { done: "import", count: String(count), left: left === 0 ? "" : String(left) }));
}

interface ImportState {
  readonly text: string;
  /** Null before a preview. */
  readonly lines: readonly ImportLine[] | null;
  /** Why the table as a whole cannot be read. */
  readonly fault: string | null;
}

function importPage(visit: Visit, access: SiteAccess, { text, lines, fault }: ImportState): Response {
  const { i18n, settings } = visit;
  const addable = lines?.filter(({ outcome }) => "fields" in outcome).length ?? 0;
  return sitesPage(visit, {
    title: i18n.t("sites.import.title"),
    lead: i18n.t("sites.import.lead", { lines: i18n.number(csvSitesMax) }),
    access,
    status: fault === null ? 200 : 400,
    children: (
      <>
        {lines !== null && <ImportPreview lines={lines} addable={addable} />}
        <Form action={ownerPath(path, access)} class="wide">
          <div class="field" data-needs-script hidden>
            <label for="file">{i18n.t("sites.import.file")}</label>
            <input id="file" type="file" accept=".csv,.txt,text/csv,text/plain" data-reads="#text" />
          </div>
          <TextAreaField
            name="text"
            label={i18n.t("sites.import.text")}
            hint={i18n.t("sites.import.textHint")}
            value={text}
            rows={rows}
            maxLength={csvBytesMax}
            error={fault ?? undefined}
          />
          <p class="hint">{i18n.t(`visibility.${settings.config.readers}.rule`)}</p>
          <p class="actions">
            {addable > 0 && (
              <SubmitButton name="do" value="add">
                {i18n.count("sites.import.add", addable)}
              </SubmitButton>
            )}
            <SubmitButton kind={addable > 0 ? "plain" : "primary"} name="do" value="preview">
              {i18n.t(lines === null ? "sites.import.preview" : "sites.import.again")}
            </SubmitButton>
            <a class="button" href={ownerPath("/sites", access)}>
              {i18n.t("sites.deletion.cancel")}
            </a>
          </p>
        </Form>
        <Format />
      </>
    ),
  });
}

function Format() {
  const { i18n } = useVisit();
  return (
    <section aria-labelledby="format">
      <h2 id="format">{i18n.t("sites.import.format")}</h2>
      <p>{i18n.t("sites.import.formatText")}</p>
      <pre>{example}</pre>
    </section>
  );
}

/** Lines that are left out come first. */
function ImportPreview({ lines, addable }: { readonly lines: readonly ImportLine[]; readonly addable: number }) {
  const { i18n } = useVisit();
  const left = lines.length - addable;
  const isGood = ({ outcome }: ImportLine) => "fields" in outcome;
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{i18n.t("sites.import.previewTitle")}</h2>
      <Notice kind={left === 0 ? "good" : "warn"} alert>
        <p>
          {i18n.count("sites.import.willAdd", addable)} {left > 0 && i18n.count("sites.import.willLeave", left)}
        </p>
      </Notice>
      <DataTable
        caption={i18n.t("sites.import.previewTitle")}
        captionUnseen
        rows={[...lines].sort((one, other) => Number(isGood(one)) - Number(isGood(other)))}
        columns={[
          { label: i18n.t("sites.import.columns.line"), numeric: true, cell: ({ line }) => i18n.number(line) },
          { label: i18n.t("sites.import.columns.result"), cell: ({ outcome }) => <Outcome outcome={outcome} /> },
          {
            label: i18n.t("sites.form.url"),
            header: true,
            cell: ({ url, outcome }) => (
              <UntrustedText charsMax={urlCharsShown}>{"fields" in outcome ? outcome.fields.url : url}</UntrustedText>
            ),
          },
          {
            label: i18n.t("sites.form.name"),
            cell: ({ outcome }) => ("fields" in outcome ? <UntrustedText>{outcome.fields.name}</UntrustedText> : null),
          },
          {
            label: i18n.t("sites.columns.client"),
            cell: ({ outcome }) =>
              "fields" in outcome && outcome.fields.client !== null ? <UntrustedText>{outcome.fields.client}</UntrustedText> : null,
          },
          {
            label: i18n.t("sites.form.tags"),
            cell: ({ outcome }) => ("fields" in outcome && outcome.fields.tags.length > 0 ? <TagChips tags={outcome.fields.tags} /> : null),
          },
        ]}
      />
    </section>
  );
}

function Outcome({ outcome }: Pick<ImportLine, "outcome">) {
  const { i18n } = useVisit();
  return "fields" in outcome ? (
    <MarkedText as="passed" text={i18n.t("sites.import.good")} />
  ) : (
    <>
      <MarkedText as="violated" text={i18n.t("sites.import.bad")} /> <span>{outcome.text}</span>
    </>
  );
}

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
