/** Running and queued scans with their ages. */
import type { ScanRecord } from "../../store/scans.ts";
import { Instant } from "../components/instant.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { UntrustedText } from "../components/untrusted-text.tsx";
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

interface ScansProps {
  readonly caption: string;
  readonly scans: readonly ScanRecord[];
  readonly inHand: boolean;
}

function Scans({ caption, scans, inHand }: ScansProps) {
  const { i18n } = useVisit();
  const columns = [
    { label: i18n.t("admin.queue.url") },
    { label: i18n.t("admin.queue.by") },
    { label: i18n.t(inHand ? "admin.queue.started" : "admin.queue.queued") },
    ...(inHand ? [{ label: i18n.t("admin.queue.progress"), numeric: true }] : []),
  ];
  return (
    <Table caption={caption} columns={columns}>
      <RowGroup>
        {scans.map((scan) => (
          <ScanRow key={scan.token} scan={scan} inHand={inHand} />
        ))}
      </RowGroup>
    </Table>
  );
}

function ScanRow({ scan, inHand }: { readonly scan: ScanRecord; readonly inHand: boolean }) {
  const { i18n, settings } = useVisit();
  const { token, url, accountId, createdAt, startedAt, progressPercent } = scan;
  const by = accountId === null ? undefined : settings.store.accounts.findById(accountId);
  const cells = [
    <a key="url" href={`/scans/${token}`}>
      <UntrustedText charsMax={urlCharsMax}>{url}</UntrustedText>
    </a>,
    by === undefined ? i18n.t("admin.queue.guest") : <UntrustedText key="by">{by.email}</UntrustedText>,
    <Instant key="since" at={inHand ? (startedAt ?? createdAt) : createdAt} />,
    i18n.t("admin.queue.percent", { percent: i18n.number(progressPercent) }),
  ];
  return <Row cells={cells} />;
}
