/** `/`: the form that starts a scan, what becomes of it, and what is looked at. */
import { type Area, areaOf, areas } from "../check/check.ts";
import { page } from "./answer.tsx";
import { Notice } from "./components/notice.tsx";
import { PageHead } from "./components/page-head.tsx";
import { useVisit, useWords } from "./context.ts";
import { mayScan } from "./scanning/may-scan.ts";
import { UrlForm } from "./scanning/url-form.tsx";
import { ScansTable } from "./scans/scans-table.tsx";
import type { Visit } from "./visit.ts";

const latestScansMax = 5;

/** Why nothing was started. */
export interface Refusal {
  readonly status: number;
  /** Stands beside the field; null when the page says it anyway. */
  readonly text: string | null;
  readonly retryAfterSeconds?: number;
}

interface HomeGiven {
  /** What the visitor typed, as it was typed. */
  readonly typed?: string;
  readonly refusal?: Refusal;
}

/** Other pages link here with an address to scan. */
export function getHome(visit: Visit): Response {
  return homePage(visit, { typed: visit.url.searchParams.get("url") ?? "" });
}

export function homePage(visit: Visit, { typed = "", refusal }: HomeGiven): Response {
  const { words } = visit;
  const title = words.say("home.title");
  const retryAfter = refusal?.retryAfterSeconds;
  return page(visit, {
    title: refusal === undefined ? title : words.say("home.errorTitle", { title }),
    status: refusal?.status ?? 200,
    headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
    // What was typed may be a secret; it is shown to whoever typed it and kept nowhere.
    secret: typed !== "",
    noIndex: typed !== "",
    children: (
      <>
        <PageHead large title={title} lead={words.say("home.lead")} />
        {mayScan(visit) ? <ScanForm typed={typed} error={refusal?.text ?? undefined} /> : <Closed />}
        <LatestScans />
        <WhatIsChecked />
      </>
    ),
  });
}

/** For guests of an appliance that does not scan for guests. */
function Closed() {
  const words = useWords();
  return (
    <Notice kind="info" title={words.say("home.closed.title")}>
      <p>{words.say("home.closed.what")}</p>
      <p>
        <a class="button" href="/sign-in">
          {words.say("layout.nav.signIn")}
        </a>
      </p>
    </Notice>
  );
}

interface ScanFormProps {
  readonly typed: string;
  readonly error?: string | undefined;
}

function ScanForm({ typed, error }: ScanFormProps) {
  const { words, settings } = useVisit();
  return (
    <>
      {!settings.scanning.ready() && (
        <Notice kind="warn">
          <p>{words.say("home.notReady")}</p>
        </Notice>
      )}
      <UrlForm typed={typed} error={error} label={words.say("home.url")} hint={words.say("home.hint")} button={words.say("home.start")} />
      <p class="hint">
        {words.say("home.public")} <a href="/scans">{words.say("home.publicList")}</a>
      </p>
    </>
  );
}

function LatestScans() {
  const { words, settings } = useVisit();
  const { items } = settings.store.publicScans.list({ limit: latestScansMax, cursor: null });
  if (items.length === 0) return null;
  return (
    <section>
      <h2>{words.say("home.latest")}</h2>
      <ScansTable caption={words.say("home.latest")} scans={items} />
      <p>
        <a href="/scans">{words.say("home.all")}</a>
      </p>
    </section>
  );
}

const notDone = ["ports", "attacks", "onePage", "signIn", "grade", "legal"] as const;

function WhatIsChecked() {
  const { words, settings } = useVisit();
  const { checks } = settings.catalog;
  const count = (area: Area) => checks.filter((check) => areaOf(check) === area).length;
  return (
    <div class="columns even">
      <section>
        <h2>{words.count("home.checked", checks.length)}</h2>
        <ul class="tally">
          {areas
            .filter((area) => count(area) > 0)
            .map((area) => (
              <li key={area}>
                {words.say(`checks.areas.${area}`)} <span class="muted">{words.number(count(area))}</span>
              </li>
            ))}
        </ul>
        <p>
          <a href="/checks">{words.say("home.allChecks")}</a>
        </p>
      </section>
      <section>
        <h2>{words.say("home.notChecked.title")}</h2>
        <ul>
          {notDone.map((what) => (
            <li key={what}>{words.say(`home.notChecked.${what}`)}</li>
          ))}
        </ul>
      </section>
    </div>
  );
}
