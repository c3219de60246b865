/** Form of a watched site, for new and stored ones: its fields, how they are read, their faults in words, and how they are shown. */
import type { ComponentChildren } from "preact";
import { localLocation } from "../../parse/location.ts";
import { scanUrlCharsMax } from "../../parse/scan-url.ts";
import { scheduleIntervals } from "../../parse/site-csv.ts";
import { splitTags } from "../../parse/text.ts";
import { Notice } from "../../report/components/notice.tsx";
import { type GivenFields, parseSiteFields, type SiteFault, type SiteFaults } from "../../sites/site-fields.ts";
import { type Site, type SiteFieldName, type SiteFields, siteNameCharsMax, sitePagesMax } from "../../store/sites.ts";
import type { I18n } from "../../text/translator.ts";
import { CancelLink, type FormDescription, FormFields, type FormValues, readFields, SubmitButton } from "../components/forms.tsx";
import { Alert } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { Form } from "../form.tsx";
import { locationChoice } from "../scans/form.tsx";
import { completeUrl, readTypedUrl } from "../scans/typed-url.ts";
import type { Visit } from "../visit.ts";
import { NextRuns } from "./site-sections.tsx";

const tagsCharsMax = 1_000;
const cronCharsMax = 100;
const zoneCharsMax = 64;
/** Choice of `every` for a cron pattern in place of an interval. */
const cronChoice = "cron";

const mainFields = {
  url: {
    label: "sites.form.url",
    hint: ({ i18n, settings }) => i18n.t(`visibility.${settings.config.readers}.rule`),
    inputMode: "url",
    autocomplete: "off",
    maxLength: scanUrlCharsMax,
    verbatim: true,
    trimmed: true,
  },
  name: { label: "sites.form.name", hint: "sites.form.nameHint", autocomplete: "off", required: false, maxLength: siteNameCharsMax },
  client: {
    label: "sites.columns.client",
    hint: "sites.form.clientHint",
    autocomplete: "off",
    required: false,
    maxLength: siteNameCharsMax,
  },
  // Separated by commas.
  tags: { label: "sites.form.tags", hint: "sites.form.tagsHint", autocomplete: "off", required: false, maxLength: tagsCharsMax },
  // One address a line.
  pages: {
    control: "textarea",
    label: "sites.form.pages",
    hint: ({ i18n }) => i18n.t("sites.form.pagesHint", { max: i18n.number(sitePagesMax - 1) }),
    rows: 4,
    required: false,
    maxLength: sitePagesMax * scanUrlCharsMax,
  },
  // A site keeps a location that has lost its last worker, until somebody chooses another one.
  location: { control: "select", label: "location.label", options: (visit, chosen, error) => locationChoice(visit, error, chosen) },
  every: {
    control: "select",
    label: "sites.schedule.title",
    hint: "sites.form.everyHint",
    initial: "weekly",
    options: ({ i18n }) => [
      ...scheduleIntervals.map((every) => ({ value: every, text: i18n.t(`sites.schedule.every.${every}`) })),
      { value: cronChoice, text: i18n.t("sites.form.byCron") },
    ],
  },
} satisfies FormDescription;

const cronFields = {
  cron: {
    label: "sites.form.cron",
    hint: ({ i18n }) => (
      <>
        {i18n.t("sites.form.cronHint")} <code>30 2 * * 1</code>
      </>
    ),
    autocomplete: "off",
    required: false,
    maxLength: cronCharsMax,
    verbatim: true,
  },
  zone: {
    label: "sites.form.zone",
    hint: "sites.form.zoneHint",
    autocomplete: "off",
    required: false,
    maxLength: zoneCharsMax,
    suggestions: { id: "zones", values: ["UTC", ...Intl.supportedValuesOf("timeZone")] },
    verbatim: true,
  },
} satisfies FormDescription;

export const siteForm = { ...mainFields, ...cronFields };

/** Values of the form, as typed. */
export type SiteInput = FormValues<typeof siteForm>;
/** Error texts by name of the field. */
type SiteErrors = ReadonlyMap<string, string>;

export function inputOfSite(site: Site): SiteInput {
  const { client, tags, pages, schedule } = site;
  const times = "every" in schedule ? { every: schedule.every, cron: "", zone: "" } : { every: cronChoice, ...schedule };
  const values = { ...site, client: client ?? "", tags: tags.join(", "), pages: pages.join("\n"), ...times };
  return readFields(siteForm, { text: (name) => values[name as keyof SiteInput], all: () => [] });
}

/** Hidden field of a form that changes a site. */
export const versionField = "version";

/** Names what a form shows of a stored site: another one means that somebody has changed it since. */
export function versionOf(site: Site): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(inputOfSite(site))).digest("base64url");
}

/**
 * Values of the fields, or what is wrong with them. A scan is public, so addresses with what looks like a secret are refused.
 * `stored`: as the form showed it; null for a new site. Its location is kept, known or not, if no other one is chosen.
 */
export function readInput(
  visit: Visit,
  typed: SiteInput,
  stored: SiteInput | null = null,
): { readonly fields: SiteFields } | { readonly errors: SiteErrors } {
  const { i18n, settings } = visit;
  const input = stored !== null && typed.location === "" ? { ...typed, location: stored.location } : typed;
  const locations = [...settings.scanning.locations.names(), ...(stored === null ? [] : [stored.location])];
  const address = readTypedUrl(input.url);
  const pages = linesOf(input.pages).map((line) => pageUrl(line, input.url));
  const parsed = parseSiteFields(givenOf(input, pages), { locations });
  const errors = errorsOfForm(i18n, isFaulty(parsed) ? parsed.faults : [], input);
  if (address.kind === "fault") errors.set("url", i18n.t(`home.faults.${address.fault}`));
  else if (address.kind === "sensitive") errors.set("url", i18n.t("sites.form.secret"));
  else if (!mayBeScanned(visit, input.location, address.url)) errors.set("url", i18n.t("home.shut"));
  const lost = lostPattern(i18n, input, stored?.cron);
  if (lost !== null) errors.set("every", lost);
  if (!errors.has("pages") && pages.some((page) => readTypedUrl(page).kind === "sensitive"))
    errors.set("pages", i18n.t("sites.form.secret"));
  return errors.size > 0 || isFaulty(parsed) ? { errors } : { fields: parsed };
}

export const scheduleForm = { every: mainFields.every, ...cronFields };
type ScheduleInput = FormValues<typeof scheduleForm>;

export function givenSchedule({ every, cron, zone }: ScheduleInput): object {
  return every === cronChoice ? { cron, zone: zone.trim() } : { every };
}

/** Error texts by field of the form: the schedule has several. */
export function errorsOfForm(i18n: I18n, faults: readonly SiteFault[], { every }: Pick<ScheduleInput, "every">): Map<string, string> {
  const scheduleField = every === cronChoice ? "cron" : "every";
  return new Map([...faultTexts(i18n, faults)].map(([field, text]) => [field === "schedule" ? scheduleField : field, text]));
}

/** A pattern without its choice would be lost silently. Null without a fault. */
export function lostPattern(i18n: I18n, { every, cron }: ScheduleInput, storedCron?: string): string | null {
  const isLost = every !== cronChoice && cron.trim() !== "" && cron !== storedCron;
  return isLost ? i18n.t("sites.form.cronNotChosen", { choice: i18n.t("sites.form.byCron") }) : null;
}

function givenOf({ url, tags, every, cron, zone, ...given }: SiteInput, pages: readonly string[]): GivenFields<SiteFieldName> {
  const schedule = givenSchedule({ every, cron, zone });
  return { ...given, url: completeUrl(url), tags: splitTags(tags), pages, schedule };
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A path is one of the site. */
function pageUrl(typed: string, url: string): string {
  if (!typed.startsWith("/") || typed.startsWith("//")) return completeUrl(typed);
  return URL.parse(typed, completeUrl(url))?.href ?? typed;
}

/** The settings of this server say nothing about what a worker elsewhere may reach. */
function mayBeScanned({ settings }: Visit, location: string, url: string): boolean {
  return (location !== "" && location !== localLocation) || settings.scanning.mayBeScanned(url);
}

export interface SiteFormProps {
  readonly action: string;
  readonly cancel: string;
  readonly input: SiteInput;
  readonly errors?: SiteErrors;
  /** Error of the whole form. */
  readonly formError?: ComponentChildren;
  /** Runs of the schedule as typed; absent if the form does not show them. */
  readonly runs?: readonly (Date | null)[];
  /** Version of the stored site that the form shows; absent for a new site. */
  readonly version?: string;
  /** Sites of the owner, for suggestions. */
  readonly others: readonly Site[];
}

export function SiteForm({ action, cancel, input, errors, formError, runs, version, others }: SiteFormProps) {
  const { i18n } = useVisit();
  const clients = { id: "clients", values: [...new Set(others.flatMap(({ client }) => client ?? []))] };
  return (
    <>
      <Alert kind="poor">{formError}</Alert>
      {runs !== undefined && (
        <Notice kind="info" alert>
          <NextRuns runs={runs} label={i18n.t("sites.form.preview")} />
        </Notice>
      )}
      <Form action={action}>
        {version !== undefined && <input type="hidden" name={versionField} value={version} />}
        <FormFields form={mainFields} values={input} errors={errors} onPage={{ client: { suggestions: clients } }} />
        <details class="part" open={input.every === cronChoice}>
          <summary>{i18n.t("sites.form.cronTitle")}</summary>
          <FormFields form={cronFields} values={input} errors={errors} />
        </details>
        <p class="actions">
          <SubmitButton name="do" value="save" text="sites.form.save" />
          <SubmitButton kind="plain" name="do" value="preview" text="sites.form.showRuns" />
          <CancelLink href={cancel} />
        </p>
      </Form>
    </>
  );
}

/** The time zone of a schedule has a field of its own. */
type SiteFaultField = SiteFault["field"] | "zone";

/** Fault of one entry names the entry. */
export function siteFaultText(i18n: I18n, { field, code, max, entry, fault }: SiteFault): string {
  const text = wordsOf();
  return entry === undefined ? text : i18n.t("sites.faults.entry", { entry: i18n.number(entry), text });

  function wordsOf(): string {
    if (code === "url-invalid" && fault !== undefined) return i18n.t(`home.faults.${fault}`);
    if (code === "required" && field === "url") return i18n.t("home.faults.empty");
    if (code === "required" && field === "reason") return i18n.t("sites.faults.noReason");
    return i18n.t(`sites.faults.${code}`, { max: i18n.number(max ?? 0) });
  }
}

/** Texts by field, at most the first three of each. */
export function faultTexts(i18n: I18n, faults: readonly SiteFault[]): ReadonlyMap<SiteFaultField, string> {
  const shownMax = 3;
  const byField = Map.groupBy(faults, ({ field, code }): SiteFaultField => (code === "zone-unknown" ? "zone" : field));
  return new Map(
    [...byField].map(([field, ofField]) => [
      field,
      ofField
        .slice(0, shownMax)
        .map((fault) => siteFaultText(i18n, fault))
        .join(" "),
    ]),
  );
}

export function isFaulty(parsed: object | SiteFaults): parsed is SiteFaults {
  return "faults" in parsed;
}
