/** Page of a queued or running scan: position, progress and stages. */
import { type ProgressStage, progressStages } from "../../evidence/scan.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { HostUrl } from "../components/host-url.tsx";
import { Icon } from "../components/icon.tsx";
import { Instant } from "../components/instant.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useI18n, useVisit } from "../context.ts";
import { page } from "../page.tsx";
import { scanHost } from "../scans/host-name.ts";
import type { Visit } from "../visit.ts";
import { stateOf } from "./scan-state.ts";

/** Reload interval for browsers without script. */
const refreshSeconds = 3;

export function waitingPage(visit: Visit, scan: ScanRecord): Response {
  const { i18n } = visit;
  const title = i18n.t("scan.titleOf", { host: scanHost(scan) });
  return page(visit, {
    title,
    noIndex: true,
    refreshSeconds,
    headers: { "cache-control": "no-store" },
    children: (
      <>
        <PageHead title={title} lead={<HostUrl url={scan.url} />} />
        <Progress scan={scan} />
        <p class="muted">
          {i18n.t("scan.requested")} <Instant at={scan.createdAt} relative={false} />
        </p>
        <p class="muted">{i18n.t("progress.leave")}</p>
      </>
    ),
  });
}

/** Updated by the script, which finds the elements by their `data-` attributes. */
function Progress({ scan }: { readonly scan: ScanRecord }) {
  const visit = useVisit();
  const { i18n } = visit;
  const { status, stage, percent, text } = stateOf(visit, scan);
  const now = stage === null ? i18n.t(status === "queued" ? "progress.waiting" : "progress.begins") : stageName(i18n, stage);
  return (
    <div data-follow>
      {/* Live region: contains only the stage name, since screen readers announce every change. */}
      <p role="status" data-status>
        {now}
      </p>
      <p data-place hidden={text === null}>
        {text}
      </p>
      <label for="progress">
        {i18n.t("progress.label")} <span data-percent>{i18n.t("progress.percent", { percent })}</span>
      </label>
      <progress id="progress" max={100} value={percent} />
      <h2>{i18n.t("progress.stagesTitle")}</h2>
      <ol class="stages">
        {progressStages.map((each) => (
          <Stage key={each} stage={each} current={stage} />
        ))}
      </ol>
    </div>
  );
}

/** Contains all three icons; the script shows one. */
function Stage({ stage, current }: { readonly stage: ProgressStage; readonly current: ProgressStage | null }) {
  const i18n = useI18n();
  const distance = current === null ? 1 : progressStages.indexOf(stage) - progressStages.indexOf(current);
  return (
    <li data-stage={stage} aria-current={distance === 0 ? "step" : undefined}>
      <span data-mark="done" hidden={distance >= 0}>
        <Icon name="tick" />
      </span>
      <span data-mark="now" hidden={distance !== 0}>
        <Icon name="now" />
      </span>
      <span data-mark="next" hidden={distance <= 0}>
        <Icon name="next" />
      </span>
      <span data-name>{stageName(i18n, stage)}</span>
    </li>
  );
}

function stageName(i18n: Visit["i18n"], stage: ProgressStage): string {
  return i18n.t(`progress.stages.${stage}`);
}
