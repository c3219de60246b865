/** Running and queued scans with their ages. */

import { Instant } from "../../report/components/instant.tsx";
import { DataTable } from "../../report/components/table.tsx";
import { UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { ScanRecord } from "../../store/scans.ts";
import { useVisit } from "../context.ts";

/** Queued scans that are listed; the rest are counted. */
const waitingShownMax = 20;
const urlCharsMax = 200;

export function AdminQueue() {
  const { i18n, settings } = useVisit();
  const { store } = settings;
  const running = store.scans.listRunning();
  const waiting = store.scans.listQueued(waitingShownMax);
  const waitingCount = store.scans.queueLength();
  return (
    <section aria-labelledby="queue-title">
      <h2 id="queue-title">{i18n.t("admin.queue.title")}</h2>
      <p>
        {i18n.count("admin.queue.running", running.length)} {i18n.count("admin.queue.waiting", waitingCount)}
      </p>
      {running.length > 0 && <Scans caption={i18n.t("admin.queue.runningCaption")} scans={running} inHand />}
      {waiting.length > 0 && <Scans caption={i18n.t("admin.queue.waitingCaption")} scans={waiting} inHand={false} />}
      {waitingCount > waiting.length && <p>{i18n.count("admin.queue.more", waitingCount - waiting.length)}</p>}
    </section>
  );
}

function Scans({ caption, scans, inHand }: { readonly caption: string; readonly scans: readonly ScanRecord[]; readonly inHand: boolean }) {
  const { i18n } = useVisit();
  const progress = {
    label: i18n.t("admin.queue.progress"),
    numeric: true,
    cell: ({ progressPercent }: ScanRecord) => i18n.t("admin.queue.percent", { percent: i18n.number(progressPercent) }),
  };
  return (
    <DataTable
      caption={caption}
      rows={scans}
      columns={[
        {
          label: i18n.t("admin.queue.url"),
          cell: ({ token, url }) => (
            <a href={`/scans/${token}`}>
              <UntrustedText charsMax={urlCharsMax}>{url}</UntrustedText>
            </a>
          ),
        },
        { label: i18n.t("admin.queue.by"), cell: (scan) => <Owner scan={scan} /> },
        {
          label: i18n.t(inHand ? "admin.queue.started" : "admin.queue.queued"),
          cell: ({ createdAt, startedAt }) => <Instant at={inHand ? (startedAt ?? createdAt) : createdAt} />,
        },
        ...(inHand ? [progress] : []),
      ]}
    />
  );
}

function Owner({ scan: { accountId } }: { readonly scan: ScanRecord }) {
  const { i18n, settings } = useVisit();
  const owner = accountId === null ? undefined : settings.store.accounts.findById(accountId);
  return owner === undefined ? i18n.t("admin.queue.guest") : <UntrustedText>{owner.email}</UntrustedText>;
}
