/** Which scans are in hand and which come next, with their ages. */
import type { ScanRecord } from "../../store/scans.ts";
import { Foreign } from "../components/foreign.tsx";
import { Instant } from "../components/instant.tsx";
import { Row, RowGroup, Table } from "../components/table.tsx";
import { useVisit } from "../context.ts";

/** Waiting scans that are listed; of the rest, their number says enough. */
const waitingShownMax = 20;
/** The end of a long URL tells little about whose it is. */
const urlCharsMax = 200;

export function AdminQueue() {
  const { words, settings } = useVisit();
  const { store } = settings;
  const running = store.scans.listRunning();
  const waiting = store.scans.listQueued(waitingShownMax);
  const waitingCount = store.scans.queueLength();
  return (
    <section aria-labelledby="queue-title">
      <h2 id="queue-title">{words.say("admin.queue.title")}</h2>
      <p>
        {words.count("admin.queue.running", running.length)} {words.count("admin.queue.waiting", waitingCount)}
      </p>
      {running.length > 0 && <Scans caption={words.say("admin.queue.runningCaption")} scans={running} inHand />}
      {waiting.length > 0 && <Scans caption={words.say("admin.queue.waitingCaption")} scans={waiting} inHand={false} />}
      {waitingCount > waiting.length && <p>{words.count("admin.queue.more", waitingCount - waiting.length)}</p>}
    </section>
  );
}

interface ScansProps {
  readonly caption: string;
  readonly scans: readonly ScanRecord[];
  readonly inHand: boolean;
}

function Scans({ caption, scans, inHand }: ScansProps) {
  const { words } = useVisit();
  const columns = [
    { label: words.say("admin.queue.url") },
    { label: words.say("admin.queue.by") },
    { label: words.say(inHand ? "admin.queue.started" : "admin.queue.queued") },
    ...(inHand ? [{ label: words.say("admin.queue.progress"), numeric: true }] : []),
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
  const { words, settings } = useVisit();
  const { token, url, accountId, createdAt, startedAt, progressPercent } = scan;
  const by = accountId === null ? undefined : settings.store.accounts.findById(accountId);
  const cells = [
    <a key="url" href={`/scans/${token}`}>
      <Foreign charsMax={urlCharsMax}>{url}</Foreign>
    </a>,
    by === undefined ? words.say("admin.queue.guest") : <Foreign key="by">{by.email}</Foreign>,
    <Instant key="since" at={inHand ? (startedAt ?? createdAt) : createdAt} />,
    words.say("admin.queue.percent", { percent: words.number(progressPercent) }),
  ];
  return <Row cells={cells} />;
}
