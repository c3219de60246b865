/** `/sites/import`: adds the watched sites of a pasted table, after a preview of each line. */
import { planTerms } from "../../accounts/account-operations.ts";
import { type CsvFault, type CsvLine, csvBytesMax, csvSitesMax, parseSiteCsv } from "../../parse/site-csv.ts";
import { MarkedText } from "../../report/components/labels.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import { addSites, previewSites, type SiteActor } from "../../sites/site-operations.ts";
import type { SiteFields, SiteRefusal } from "../../store/sites.ts";
import { CancelLink, type FormDescription, FormFields, initialValues, readFields, SubmitButton } from "../components/forms.tsx";
import { Alert, PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { formMalformed } from "../errors.ts";
import { Form } from "../form.tsx";
import type { GetFor, PostFor } from "../guards.ts";
import { redirect } from "../response.ts";
import type { SignedInVisit, Visit } from "../visit.ts";
import { bulkOutcome } from "./bulk-actions.tsx";
import { ownerPath, type SiteAccess, siteActor } from "./site-access.ts";
import { readInput, siteForm } from "./site-form.tsx";
import { TagChips } from "./site-sections.tsx";
import { sitesPage } from "./sites-frame.tsx";

const path = "/sites/import";
/** Percent-encoding writes up to three bytes for one. */
export const importBytesMax = 3 * csvBytesMax + 16_384;
const urlCharsShown = 120;
const example = [
  "url,name,client,tags",
  "https://www.example.com/,Example,Example Ltd,shop|live",
  "https://example.org/,,Example Ltd,",
].join("\n");

const importForm = {
  text: { control: "textarea", label: "sites.import.text", hint: "sites.import.textHint", rows: 12, maxLength: csvBytesMax },
} satisfies FormDescription;

export const getImport: GetFor<"editors"> = (visit, access) => importPage(visit, access, { text: "", lines: null, fault: null });

export const postImport: PostFor<"editors"> = async (visit, access, form) => {
  const button = form.text("do");
  if (button !== "preview" && button !== "add") throw formMalformed();
  const { text } = readFields(importForm, form);
  const read = await readImport(visit, siteActor(visit, access), text);
  if ("fault" in read) return importPage(visit, access, { text, lines: null, fault: read.fault });
  return button === "add" ? importSites(visit, access, read) : importPage(visit, access, { text, lines: read, fault: null });
};

async function importSites(visit: SignedInVisit, access: SiteAccess, lines: readonly ImportLine[]): Promise<Response> {
  const sites = lines.flatMap(({ outcome }) => ("fields" in outcome ? [outcome.fields] : []));
  const outcomes = await addSites(visit.settings, siteActor(visit, access), sites);
  const count = outcomes.filter((outcome) => typeof outcome !== "string").length;
  return redirect(visit, ownerPath("/sites", access, bulkOutcome("import", count, lines.length - count)));
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
          <FormFields form={importForm} values={{ text }} errors={fault === null ? null : new Map([["text", fault]])} />
          <p class="hint">{i18n.t(`visibility.${settings.config.readers}.rule`)}</p>
          <p class="actions">
            {addable > 0 && <SubmitButton name="do" value="add" text={() => i18n.count("sites.import.add", addable)} />}
            <SubmitButton
              kind={addable > 0 ? "plain" : "primary"}
              name="do"
              value="preview"
              text={lines === null ? "sites.import.preview" : "sites.import.again"}
            />
            <CancelLink href={ownerPath("/sites", access)} />
          </p>
        </Form>
        <PageSection id="format" title="sites.import.format">
          <p>{i18n.t("sites.import.formatText")}</p>
          <pre>{example}</pre>
        </PageSection>
      </>
    ),
  });
}

/** Lines that are left out come first. */
function ImportPreview({ lines, addable }: { readonly lines: readonly ImportLine[]; readonly addable: number }) {
  const { i18n } = useVisit();
  const left = lines.length - addable;
  const fieldsOf = ({ outcome }: ImportLine) => ("fields" in outcome ? outcome.fields : undefined);
  const isGood = ({ outcome }: ImportLine) => "fields" in outcome;
  const shown = (text: string | null | undefined) => (text ? <UntrustedText>{text}</UntrustedText> : null);
  return (
    <PageSection id="preview" title="sites.import.previewTitle">
      <Alert kind={left === 0 ? "good" : "warn"}>
        {i18n.count("sites.import.willAdd", addable)} {left > 0 && i18n.count("sites.import.willLeave", left)}
      </Alert>
      <TextTable
        caption="sites.import.previewTitle"
        rows={[...lines].sort((one, other) => Number(isGood(one)) - Number(isGood(other)))}
        columns={{
          "sites.import.columns.line": { numeric: true, cell: ({ line }) => i18n.number(line) },
          "sites.import.columns.result": ({ outcome }) => <Outcome outcome={outcome} />,
          "sites.form.url": {
            header: true,
            cell: (line) => <UntrustedText charsMax={urlCharsShown}>{fieldsOf(line)?.url ?? line.url}</UntrustedText>,
          },
          "sites.form.name": (line) => shown(fieldsOf(line)?.name),
          "sites.columns.client": (line) => shown(fieldsOf(line)?.client),
          "sites.form.tags": (line) => {
            const tags = fieldsOf(line)?.tags ?? [];
            return tags.length > 0 ? <TagChips tags={tags} /> : null;
          },
        }}
      />
    </PageSection>
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

interface ImportLine {
  /** Number of the line in the list, from 1. */
  readonly line: number;
  /** As typed. */
  readonly url: string;
  readonly outcome: { readonly fields: SiteFields } | { readonly text: string };
}

/** Each line is judged for itself: one bad line leaves the others. */
async function readImport(visit: Visit, actor: SiteActor, text: string): Promise<readonly ImportLine[] | { readonly fault: string }> {
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
