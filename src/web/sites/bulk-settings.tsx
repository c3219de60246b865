/** Second step of actions on several sites whose values are more than one text: schedule, location, and findings to accept. */
import { useDocument } from "../../report/context.ts";
import { findingTitle } from "../../report/findings.tsx";
import { type BulkChange, parseBulkChange } from "../../sites/site-fields.ts";
import { openFindings } from "../../store/site-runs.ts";
import type { Site } from "../../store/sites.ts";
import { ActionForm, type FormDescription, FormFields, type FormValues, type Option, readFields } from "../components/forms.tsx";
import { useVisit } from "../context.ts";
import type { Fields } from "../form.tsx";
import type { Visit } from "../visit.ts";
import { acceptForm } from "./accepted-findings.tsx";
import type { BulkAction } from "./bulk-actions.tsx";
import type { SiteAccess } from "./site-access.ts";
import { errorsOfForm, givenSchedule, isFaulty, lostPattern, scheduleForm, siteForm } from "./site-form.tsx";
import { pickedField } from "./site-row.tsx";
import { SiteNames, sitesPage } from "./sites-frame.tsx";

const locationForm = { location: siteForm.location };

const settingForms = { schedule: scheduleForm, location: locationForm, accept: acceptForm } satisfies Record<string, FormDescription>;
export type BulkSetting = keyof typeof settingForms;

export function isBulkSetting(action: BulkAction): action is BulkSetting {
  return action in settingForms;
}

/** The change as submitted, or the page that asks for its values: at first, and again with errors. */
export function readSetting(visit: Visit, asked: AskedSetting, fields: Fields): BulkChange | Response {
  const { i18n, settings, now } = visit;
  const values = readFields(settingForms[asked.action], fields);
  if (fields.text("confirm") !== "yes") return settingPage(visit, asked, null);
  const schedule = readFields(scheduleForm, fields);
  const change = parseBulkChange(
    {
      schedule: () => ({ schedule: givenSchedule(schedule) }),
      location: () => ({ location: fields.text("location") }),
      accept: () => ({ accept: readFields(acceptForm, fields) }),
    }[asked.action](),
    { locations: settings.scanning.locations.names(), now },
  );
  const errors = errorsOfForm(i18n, isFaulty(change) ? change.faults : [], schedule);
  const lost = asked.action === "schedule" ? lostPattern(i18n, schedule) : null;
  if (lost !== null) errors.set("every", lost);
  return errors.size > 0 || isFaulty(change) ? settingPage(visit, asked, { values, errors }) : change;
}

interface AskedSetting {
  readonly action: BulkSetting;
  readonly access: SiteAccess;
  readonly sites: readonly Site[];
  /** Where the form goes, and the way back. */
  readonly path: string;
}

interface RefusedSetting {
  readonly values: FormValues<FormDescription>;
  readonly errors: ReadonlyMap<string, string>;
}

function settingPage(visit: Visit, asked: AskedSetting, refused: RefusedSetting | null): Response {
  return sitesPage(visit, {
    title: visit.i18n.count(`sites.setting.${asked.action}`, asked.sites.length),
    access: asked.access,
    status: refused === null ? 200 : 400,
    children: (
      <>
        <SiteNames sites={asked.sites} />
        <SettingForm asked={asked} refused={refused} />
      </>
    ),
  });
}

function SettingForm({ asked, refused }: { readonly asked: AskedSetting; readonly refused: RefusedSetting | null }) {
  const { i18n } = useVisit();
  const { action, sites, path } = asked;
  const findings = useOpenFindings(action === "accept" ? sites : []);
  if (action === "accept" && findings.length === 0) return <p>{i18n.t("sites.setting.noneOpen")}</p>;
  return (
    <ActionForm action={path} hidden={{ do: action, confirm: "yes" }} submit="sites.setting.submit" cancel={path}>
      <FormFields
        form={settingForms[action] as FormDescription}
        values={refused?.values}
        errors={refused?.errors}
        onPage={action === "accept" ? { code: { options: findings } } : {}}
      />
      {sites.map(({ id }) => (
        <input key={id} type="hidden" name={pickedField} value={id} />
      ))}
    </ActionForm>
  );
}

/** Open findings of the sites as options, each once, with the number of sites that have it. */
function useOpenFindings(sites: readonly Site[]): readonly Option[] {
  const { i18n, settings, now } = useVisit();
  const { texts } = useDocument();
  const open = sites.flatMap((site) => openFindings(site, settings.store.siteRuns.state(site.id), now));
  return [...Map.groupBy(open, ({ code }) => code)]
    .map(([code, found]) => {
      const title = findingTitle(texts, i18n.locale, { code, checkKey: found[0]?.checkKey ?? "" });
      return { value: code, text: `${title} (${i18n.count("sites.setting.at", found.length)})` };
    })
    .sort((one, other) => new Intl.Collator(i18n.locale).compare(one.text, other.text));
}
