/** Which scans are in hand and which come next, with their ages. */
import type { ScanRecord } from "../store/scans.ts";
import { Foreign } from "./components/foreign.tsx";
import { useVisit } from "./context.ts";

/** Waiting scans that are listed; of the rest, their number says enough. */
const waitingShownMax = 20;
/** The end of a long URL tells little about whose it is. */
const urlCharsMax = 200;

export function AdminQueue() {
  const { words, settings } = useVisit();
  const { store } = settings;
  const running = store.runningScans();
  const waiting = store.waitingScans(waitingShownMax);
  const waitingCount = store.queueLength();
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
  const since = words.say(inHand ? "admin.queue.started" : "admin.queue.queued");
  return (
    <table class="cards">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{words.say("admin.queue.url")}</th>
          <th scope="col">{words.say("admin.queue.by")}</th>
          <th scope="col">{since}</th>
          {inHand && <th scope="col">{words.say("admin.queue.progress")}</th>}
        </tr>
      </thead>
      <tbody>
        {scans.map((scan) => (
          <ScanRow key={scan.token} scan={scan} since={since} inHand={inHand} />
        ))}
      </tbody>
    </table>
  );
}

function ScanRow({ scan, since, inHand }: { readonly scan: ScanRecord; readonly since: string; readonly inHand: boolean }) {
  const { words, settings } = useVisit();
  const { token, url, accountId, createdAt, startedAt, progressPercent } = scan;
  const at = inHand ? (startedAt ?? createdAt) : createdAt;
  const by = accountId === null ? null : settings.store.accountById(accountId);
  return (
    <tr>
      <th scope="row">
        <a href={`/scans/${token}`}>
          <Foreign charsMax={urlCharsMax}>{url}</Foreign>
        </a>
      </th>
      <td data-label={words.say("admin.queue.by")}>
        {by === undefined || by === null ? words.say("admin.queue.guest") : <Foreign>{by.email}</Foreign>}
      </td>
      <td data-label={since}>
        <time dateTime={at}>{words.ago(at)}</time>
      </td>
      {inHand && (
        <td data-label={words.say("admin.queue.progress")}>
          {words.say("admin.queue.percent", { percent: words.number(progressPercent) })}
        </td>
      )}
    </tr>
  );
}
