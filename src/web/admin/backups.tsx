/** Last and next backup, and the warnings about them. */
import { dayMs } from "../../base/units.ts";
import { Instant } from "../../report/components/labels.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { useVisit } from "../context.ts";
import type { Operator } from "./operator.ts";
import { EnglishQuote } from "./quote.tsx";

/** The longest interval of `backup.schedule`, and a day. */
const backupDaysMax = 8;
const bytesPerMegabyte = 1_000_000;

export type BackupFault = "failed" | "old";

/** Null unless the last backup failed, or none succeeded for days although there is a schedule. */
export function backupFaultOf({ lastSuccess, lastFailure, nextAt }: ReturnType<Operator["backups"]>, now: Date): BackupFault | null {
  const succeededMs = lastSuccess === null ? null : Date.parse(lastSuccess.at);
  if (lastFailure !== null && Date.parse(lastFailure.at) > (succeededMs ?? 0)) return "failed";
  return nextAt !== null && succeededMs !== null && now.getTime() - succeededMs > backupDaysMax * dayMs ? "old" : null;
}

export function BackupBanner({ fault }: { readonly fault: BackupFault }) {
  const { i18n } = useVisit();
  return (
    <>
      {i18n.t(`admin.backups.faults.${fault}`)} <a href="#backups">{i18n.t("admin.backups.more")}</a>
    </>
  );
}

export function AdminBackups() {
  const { i18n, settings } = useVisit();
  const { lastSuccess, lastFailure, nextAt } = settings.operator.backups();
  return (
    <section id="backups" aria-labelledby="backups-title">
      <h2 id="backups-title">{i18n.t("admin.backups.title")}</h2>
      {lastSuccess === null ? (
        <p>{i18n.t("admin.backups.never")}</p>
      ) : (
        <p>
          {i18n.t("admin.backups.last")} <Instant at={lastSuccess.at} />,{" "}
          {i18n.t("admin.backups.size", { megabytes: i18n.number(Math.ceil(lastSuccess.bytes / bytesPerMegabyte)) })}:{" "}
          <code {...untranslated}>{lastSuccess.archive}</code>
        </p>
      )}
      {lastFailure !== null && (
        <p>
          {i18n.t("admin.backups.failed")} <Instant at={lastFailure.at} />: <EnglishQuote>{lastFailure.because}</EnglishQuote>
        </p>
      )}
      {nextAt === null ? (
        <p class="muted">{i18n.t("admin.backups.unscheduled")}</p>
      ) : (
        <p>
          {i18n.t("admin.backups.next")} <Instant at={nextAt.toISOString()} />
        </p>
      )}
    </section>
  );
}
