/** `/`: the form that starts a scan; the own hosts, or for guests the latest scans and what a scan covers. */
import { type Area, areaOf, areas } from "../check/check.ts";
import { Notice } from "../report/components/notice.tsx";
import { useI18n } from "../report/context.ts";
import { LinkButton } from "./components/forms.tsx";
import { useVisit } from "./context.ts";
import { page } from "./page.tsx";
import { rememberedLocation, UrlForm } from "./scans/form.tsx";
import { ScansTable } from "./scans/list.tsx";
import { OwnHosts } from "./scans/own.tsx";
import { mayRead, mayScan, type Visit } from "./visit.ts";

const latestScansMax = 5;

/** Reason why no scan was started. */
export interface Refusal {
  readonly status: number;
  /** Field that the text is about. */
  readonly field?: "url" | "location";
  /** Error text of the field; null if the page itself explains it. */
  readonly text: string | null;
  readonly retryAfterSeconds?: number;
  /** Scans that an account may start in an hour, where signing in helps. */
  readonly scansPerHourSignedIn?: number;
}

interface HomePageProps {
  readonly typed?: string;
  /** Null for the remembered one. */
  readonly location?: string | null;
  readonly refusal?: Refusal;
}

/** Links from other pages prefill URL and location. */
export function getHome(visit: Visit): Response {
  const { searchParams } = visit.url;
  return homePage(visit, { typed: searchParams.get("url") ?? "", location: searchParams.get("location") });
}

export function homePage(visit: Visit, { typed = "", location = null, refusal }: HomePageProps): Response {
  const { i18n } = visit;
  const title = i18n.t("home.title");
  const retryAfter = refusal?.retryAfterSeconds;
  return page(visit, {
    title: refusal === undefined ? title : i18n.t("home.errorTitle", { title }),
    status: refusal?.status ?? 200,
    headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
    // The typed URL may contain a secret, so the page is never cached.
    secret: typed !== "",
    noIndex: typed !== "",
    description: i18n.t("home.lead"),
    head: { title, large: true, lead: visit.account === null ? i18n.t("home.lead") : undefined },
    children: (
      <>
        {mayScan(visit) ? <ScanForm typed={typed} location={location ?? rememberedLocation(visit)} refusal={refusal} /> : <Closed />}
        {refusal?.scansPerHourSignedIn !== undefined && <SignInHelps scansPerHour={refusal.scansPerHourSignedIn} />}
        <p>
          <a href="/sample">{i18n.t("home.sample")}</a>
        </p>
        {visit.account === null ? <ForGuests /> : <OwnHosts account={visit.account} />}
      </>
    ),
  });
}

/** Shown to guests if only accounts may scan. */
function Closed() {
  const { i18n, settings } = useVisit();
  return (
    <Notice kind="info" title={i18n.t("home.closed.title")}>
      <p>{i18n.t(`visibility.${settings.config.readers}.closed`)}</p>
      <p>
        <LinkButton href="/sign-in" text="layout.nav.signIn" />
      </p>
    </Notice>
  );
}

/** Shown to guests over their limit. */
function SignInHelps({ scansPerHour }: { readonly scansPerHour: number }) {
  const i18n = useI18n();
  return (
    <Notice kind="info">
      <p>
        {i18n.t("home.tooMany.withAccount", { scans: i18n.number(scansPerHour) })} <a href="/sign-in">{i18n.t("layout.nav.signIn")}</a>
      </p>
    </Notice>
  );
}

interface ScanFormProps {
  readonly typed: string;
  readonly location: string;
  readonly refusal: Refusal | undefined;
}

function ScanForm({ typed, location, refusal }: ScanFormProps) {
  const { i18n, settings } = useVisit();
  const error = refusal?.text ?? null;
  return (
    <>
      {!settings.scanning.ready() && (
        <Notice kind="warn">
          <p>{i18n.t("home.notReady")}</p>
        </Notice>
      )}
      <UrlForm
        values={{ url: typed, location }}
        errors={error === null ? null : new Map([[refusal?.field ?? "url", error]])}
        label="home.url"
        hint="home.hint"
        submit="home.start"
      />
      <p class="hint">
        {i18n.t(`visibility.${settings.config.readers}.rule`)} <a href="/scans">{i18n.t(`visibility.${settings.config.readers}.list`)}</a>
      </p>
    </>
  );
}

function LatestScans() {
  const { i18n, settings } = useVisit();
  const { items } = settings.store.publicScans.list({ limit: latestScansMax, cursor: null });
  if (items.length === 0) return null;
  return (
    <section>
      <h2>{i18n.t("home.latest")}</h2>
      <ScansTable caption="home.latest" scans={items} />
      <p>
        <a href="/scans">{i18n.t("home.all")}</a>
      </p>
    </section>
  );
}

function ForGuests() {
  return (
    <>
      {mayRead(useVisit()) && <LatestScans />}
      <CheckedSubjects />
    </>
  );
}

const limits = ["attacks", "onePage", "legal"] as const;

function CheckedSubjects() {
  const { i18n, settings } = useVisit();
  const { checks } = settings.catalog;
  const count = (area: Area) => checks.filter((check) => areaOf(check) === area).length;
  const subjects = areas.filter((area) => count(area) > 0).map((area) => `${i18n.t(`checks.areas.${area}`)} (${i18n.number(count(area))})`);
  return (
    <div class="columns even">
      <section>
        <h2>{i18n.count("home.checked", checks.length)}</h2>
        <p>{subjects.join(", ")}</p>
        <p>
          <a href="/checks">{i18n.t("home.allChecks")}</a>
        </p>
      </section>
      <section>
        <h2>{i18n.t("home.notChecked.title")}</h2>
        <ul>
          {limits.map((limit) => (
            <li key={limit}>{i18n.t(`home.notChecked.${limit}`)}</li>
          ))}
        </ul>
      </section>
    </div>
  );
}
