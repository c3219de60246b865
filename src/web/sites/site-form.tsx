/** Form of a watched site, for new and stored ones. */
import type { ComponentChildren } from "preact";
import { localLocation } from "../../parse/location.ts";
import { scanUrlCharsMax } from "../../parse/scan-url.ts";
import { scheduleIntervals } from "../../parse/site-csv.ts";
import { Notice } from "../../report/components/notice.tsx";
import { type Site, siteNameCharsMax, sitePagesMax } from "../../store/sites.ts";
import { Field, SelectField, TextAreaField } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { Form } from "../form.tsx";
import { locationOptions } from "../scanning/location-field.tsx";
import { cronChoice, type FaultTexts, type SiteInput, versionField } from "./site-input.ts";
import { NextRuns } from "./site-schedule.tsx";

const pageRows = 4;
const tagsCharsMax = 1_000;
const pagesCharsMax = sitePagesMax * scanUrlCharsMax;
const cronCharsMax = 100;
const zoneCharsMax = 64;

/** Names of the IANA database, as suggestions. */
const zones: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

export interface SiteFormProps {
  readonly action: string;
  readonly cancel: string;
  readonly input: SiteInput;
  readonly faults: FaultTexts;
  /** Error of the form as a whole. */
  readonly whole: ComponentChildren;
  /** Runs of the schedule as typed; null if the form does not show them. */
  readonly runs: readonly (Date | null)[] | null;
  /** Version of the stored site that the form shows; null for a new site. */
  readonly version: string | null;
  /** Sites of the owner, for suggestions. */
  readonly others: readonly Site[];
}

export function SiteForm({ action, cancel, input, faults, whole, runs, version, others }: SiteFormProps) {
  const { i18n } = useVisit();
  return (
    <>
      {whole !== null && (
        <Notice kind="poor" alert>
          <p>{whole}</p>
        </Notice>
      )}
      {runs !== null && (
        <Notice kind="info" alert>
          <NextRuns runs={runs} label={i18n.t("sites.form.preview")} />
        </Notice>
      )}
      <Form action={action}>
        {version !== null && <input type="hidden" name={versionField} value={version} />}
        <AddressFields input={input} faults={faults} others={others} />
        <LocationChoice input={input} faults={faults} />
        <ScheduleFields input={input} faults={faults} />
        <p class="actions">
          <SubmitButton name="do" value="save">
            {i18n.t("sites.form.save")}
          </SubmitButton>
          <SubmitButton kind="plain" name="do" value="preview">
            {i18n.t("sites.form.showRuns")}
          </SubmitButton>
          <a class="button" href={cancel}>
            {i18n.t("sites.deletion.cancel")}
          </a>
        </p>
      </Form>
    </>
  );
}

type PartProps = Pick<SiteFormProps, "input" | "faults">;

function AddressFields({ input, faults, others }: PartProps & Pick<SiteFormProps, "others">) {
  const { i18n, settings } = useVisit();
  return (
    <>
      <Field
        name="url"
        label={i18n.t("sites.form.url")}
        hint={i18n.t(`visibility.${settings.config.readers}.rule`)}
        value={input.url}
        inputMode="url"
        autocomplete="off"
        maxLength={scanUrlCharsMax}
        error={faults.get("url")}
        verbatim
      />
      <Field
        name="name"
        label={i18n.t("sites.form.name")}
        hint={i18n.t("sites.form.nameHint")}
        value={input.name}
        autocomplete="off"
        required={false}
        maxLength={siteNameCharsMax}
        error={faults.get("name")}
      />
      <ClientField input={input} faults={faults} others={others} />
      <Field
        name="tags"
        label={i18n.t("sites.form.tags")}
        hint={i18n.t("sites.form.tagsHint")}
        value={input.tags}
        autocomplete="off"
        required={false}
        maxLength={tagsCharsMax}
        error={faults.get("tags")}
      />
      <TextAreaField
        name="pages"
        label={i18n.t("sites.form.pages")}
        hint={i18n.t("sites.form.pagesHint", { max: i18n.number(sitePagesMax - 1) })}
        value={input.pages}
        rows={pageRows}
        required={false}
        maxLength={pagesCharsMax}
        error={faults.get("pages")}
      />
    </>
  );
}

function ClientField({ input, faults, others }: PartProps & Pick<SiteFormProps, "others">) {
  const { i18n } = useVisit();
  const clients = [...new Set(others.flatMap(({ client }) => client ?? []))];
  return (
    <>
      <Field
        name="client"
        label={i18n.t("sites.columns.client")}
        hint={i18n.t("sites.form.clientHint")}
        value={input.client}
        autocomplete="off"
        required={false}
        maxLength={siteNameCharsMax}
        error={faults.get("client")}
        {...(clients.length === 0 ? {} : { list: "clients" })}
      />
      {clients.length > 0 && (
        <datalist id="clients">
          {clients.map((client) => (
            <option key={client} value={client} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** Null if there is nothing to choose. */
function LocationChoice({ input, faults }: PartProps) {
  const { i18n, settings } = useVisit();
  const known = settings.scanning.locations.names();
  // A site keeps a location that has lost its last worker, until somebody chooses another one.
  const isLost = input.location !== "" && input.location !== localLocation && !known.includes(input.location);
  const names = isLost ? [...known, input.location] : known;
  if (names.length === 0 && !faults.has("location")) return null;
  return (
    <SelectField
      name="location"
      label={i18n.t("location.label")}
      options={locationOptions(i18n, names)}
      value={input.location}
      error={faults.get("location")}
    />
  );
}

function ScheduleFields({ input, faults }: PartProps) {
  const { i18n } = useVisit();
  const byCron = input.every === cronChoice;
  const fault = faults.get("schedule");
  return (
    <>
      <SelectField
        name="every"
        label={i18n.t("sites.schedule.title")}
        hint={i18n.t("sites.form.everyHint")}
        value={input.every}
        options={[
          ...scheduleIntervals.map((every) => ({ value: every, text: i18n.t(`sites.schedule.every.${every}`) })),
          { value: cronChoice, text: i18n.t("sites.form.byCron") },
        ]}
        error={byCron ? undefined : fault}
      />
      <details class="part" open={byCron}>
        <summary>{i18n.t("sites.form.cronTitle")}</summary>
        <Field
          name="cron"
          label={i18n.t("sites.form.cron")}
          hint={
            <>
              {i18n.t("sites.form.cronHint")} <code>30 2 * * 1</code>
            </>
          }
          value={input.cron}
          autocomplete="off"
          required={false}
          maxLength={cronCharsMax}
          error={byCron ? fault : undefined}
          verbatim
        />
        <Field
          name="zone"
          label={i18n.t("sites.form.zone")}
          hint={i18n.t("sites.form.zoneHint")}
          value={input.zone}
          autocomplete="off"
          required={false}
          maxLength={zoneCharsMax}
          error={faults.get("zone")}
          list="zones"
          verbatim
        />
        <datalist id="zones">
          {zones.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </details>
    </>
  );
}
