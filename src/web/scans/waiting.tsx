/** Page of a queued or running scan: position, progress, stages, and the button that cancels it. */
import type { ComponentChildren } from "preact";
import { type ProgressStage, progressStages } from "../../evidence/scan.ts";
import { localLocation } from "../../parse/location.ts";
import { Instant, LocationFact } from "../../report/components/labels.tsx";
import { Icon, Notice } from "../../report/components/notice.tsx";
import { HostUrl } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import { cancelOwnScan } from "../../scans/scan-operations.ts";
import { scanLocationOf } from "../../store/scan-location.ts";
import type { ScanRecord } from "../../store/scans.ts";
import type { TextPath } from "../../text/translator.ts";
import { elapsedText, movingPercent } from "../client/progress-texts.ts";
import { ActionForm } from "../components/forms.tsx";
import { useVisit } from "../context.ts";
import { scanBegunPage, scanNotFoundPage, signInFirst } from "../errors.ts";
import { readForm } from "../form.tsx";
import { page } from "../page.tsx";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import { scanHost } from "./list-query.ts";
import { type FollowedState, type ScanState, stateOf, usualDurationMs } from "./state.ts";

/** Reload interval for browsers without script. */
export const refreshSeconds = 3;

export function waitingPage(visit: Visit, scan: ScanRecord): Response {
  const { i18n, account } = visit;
  const title = i18n.t("scan.titleOf", { host: scanHost(scan) });
  const state = stateOf(visit, scan);
  return page(visit, {
    // The script replaces what stands before the first point.
    title: state.status === "running" ? `${percentText(i18n, state)} \u00b7 ${title}` : title,
    noIndex: true,
    refreshSeconds,
    headers: { "cache-control": "no-store" },
    head: { title, lead: <ScanAddress scan={scan} /> },
    children: (
      <>
        <Progress scan={scan} state={state} />
        <p class="muted">
          {i18n.t("scan.requested")} <Instant at={scan.createdAt} relative={false} />
        </p>
        <p class="muted">{i18n.t("progress.leave")}</p>
        {account !== null && account.id === scan.accountId && <CancelScan scan={scan} />}
      </>
    ),
  });
}

interface ProgressProps {
  readonly scan: ScanRecord;
  readonly state: ScanState;
}

function Progress({ scan, state }: ProgressProps) {
  const i18n = useI18n();
  const stages = progressStages.map((stage) => ({ name: stage, text: stageName(i18n, stage) }));
  return (
    <FollowedProgress state={state} stages={stages} begins="progress.begins">
      <Times scan={scan} />
    </FollowedProgress>
  );
}

interface FollowedProps {
  readonly state: FollowedState;
  /** All stages in their order. */
  readonly stages: readonly { readonly name: string; readonly text: string }[];
  /** Shown after the queue, before the first stage. */
  readonly begins: TextPath;
  /** True if the script asks for the state, since there are no events. */
  readonly polled?: boolean;
  readonly children: ComponentChildren;
}

/** Updated by the script, which finds the elements by their `data-` attributes. */
export function FollowedProgress({ state, stages, begins, polled = false, children }: FollowedProps) {
  const i18n = useI18n();
  const { status, stage, text, absence } = state;
  const current = stages.findIndex(({ name }) => name === stage);
  const now = stages[current]?.text ?? i18n.t(status === "queued" ? "progress.waiting" : begins);
  return (
    <div data-follow={polled ? "poll" : ""}>
      <p data-now aria-hidden="true">
        {now}
      </p>
      {/* The only live region. The script adds the stages that have finished; an asterisk stands for their names. */}
      <p role="status" class="unseen" data-status data-finished={i18n.t("progress.finished", { stages: "*" })}>
        {i18n.t("progress.now", { stage: now })}
      </p>
      <p data-place hidden={text === null}>
        {text}
      </p>
      <div data-absence hidden={absence === null}>
        <Notice kind="warn">
          <p>{absence}</p>
        </Notice>
      </div>
      <label for="progress">
        {i18n.t("progress.label")} <span data-percent>{percentText(i18n, state)}</span>
      </label>
      <progress id="progress" max={100} value={movingPercent(state)} />
      {children}
      <h2>{i18n.t("progress.stagesTitle")}</h2>
      <ol class="stages">
        {stages.map((each, at) => (
          <Stage key={each.name} {...each} distance={current < 0 ? 1 : at - current} />
        ))}
      </ol>
    </div>
  );
}

interface ElapsedTimeProps {
  readonly isQueued: boolean;
  readonly elapsedMs: number;
}

/** How long it waits or runs; the script of the page goes on counting. */
export function ElapsedTime({ isQueued, elapsedMs }: ElapsedTimeProps) {
  const i18n = useI18n();
  return (
    <>
      <span data-when="queued" hidden={!isQueued}>
        {i18n.t("progress.waitingFor")}
      </span>
      <span data-when="running" hidden={isQueued}>
        {i18n.t("progress.runningFor")}
      </span>{" "}
      <span data-elapsed={elapsedMs}>{elapsedText(elapsedMs, i18n.locale)}</span>.
    </>
  );
}

/** Time since the scan was queued or, once it runs, since it began. */
function Times({ scan }: Pick<ProgressProps, "scan">) {
  const { i18n, now, settings } = useVisit();
  const { status, createdAt, startedAt } = scan;
  const location = scanLocationOf(scan);
  const isQueued = status === "queued";
  const elapsedMs = Math.max(0, now.getTime() - Date.parse((isQueued ? null : startedAt) ?? createdAt));
  const usualMs = usualDurationMs(settings.store, location);
  return (
    <p>
      <ElapsedTime isQueued={isQueued} elapsedMs={elapsedMs} />
      {usualMs !== null &&
        ` ${i18n.t(location === localLocation ? "progress.usual" : "location.usual", { location, usual: i18n.duration(usualMs / 1_000) })}`}
    </p>
  );
}

export function percentText(i18n: Visit["i18n"], state: FollowedState): string {
  return i18n.t("progress.percent", { percent: Math.floor(movingPercent(state)) });
}

/** Contains all three icons; the script shows one. */
function Stage({ name, text, distance }: FollowedProps["stages"][number] & { readonly distance: number }) {
  const i18n = useI18n();
  return (
    <li data-stage={name} aria-current={distance === 0 ? "step" : undefined}>
      <span data-mark="done" hidden={distance >= 0}>
        <Icon name="tick" />
        <span class="unseen">{i18n.t("progress.done")}</span>
      </span>
      <span data-mark="now" hidden={distance !== 0}>
        <Icon name="now" />
      </span>
      <span data-mark="next" hidden={distance <= 0}>
        <Icon name="next" />
      </span>
      <span data-name>{text}</span>
    </li>
  );
}

function stageName(i18n: Visit["i18n"], stage: ProgressStage): string {
  return i18n.t(`progress.stages.${stage}`);
}

/** @throws PageError 401 for guests, 404 for the scan of somebody else, 409 for one that has begun. */
export async function postCancel(visit: Visit, { token }: ScanRecord): Promise<Response> {
  const { account, settings } = visit;
  if (account === null) throw signInFirst();
  await readForm(visit);
  const cancelled = await cancelOwnScan(settings, account, token);
  if ("refused" in cancelled) throw cancelled.refused === "unknown" ? scanNotFoundPage() : scanBegunPage();
  return redirect(visit, "/account/scans?done=cancelled");
}

/** Button for the account of the scan. The script hides it when the scan leaves the queue. */
function CancelScan({ scan: { token, status } }: { readonly scan: ScanRecord }) {
  return status !== "queued" ? null : (
    <div data-when="queued">
      <ActionForm action={`/scans/${token}/cancel`} submit="progress.cancel" kind="plain" />
    </div>
  );
}

export function ScanAddress({ scan }: { readonly scan: ScanRecord }) {
  return (
    <>
      <HostUrl url={scan.url} />
      <LocationFact location={scanLocationOf(scan)} />
    </>
  );
}
