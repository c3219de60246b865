/** Figures of the last 24 hours, and of this server. */
import type { ComponentChildren } from "preact";
import { Instant } from "../../report/components/labels.tsx";
import { DataTable } from "../../report/components/layout.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";

const bytesPerMegabyte = 1_000_000;

interface Figure {
  readonly label: TextPath;
  readonly value: ComponentChildren;
}

export function AdminDay() {
  const { i18n, settings } = useVisit();
  const { since, finished, failed, claimed, waitedMs, longestWaitMs, browserRestarts } = settings.operator.lastDay();
  const failures = Object.entries(failed).toSorted(([, one], [, other]) => other - one);
  const failedCount = failures.reduce((sum, [, count]) => sum + count, 0);
  const wait = (ms: number) => (claimed === 0 ? i18n.t("admin.day.noWait") : i18n.duration(ms / 1_000));
  return (
    <section aria-labelledby="day-title">
      <h2 id="day-title">{i18n.t("admin.day.title")}</h2>
      <p class="muted">
        {i18n.t("admin.day.since")} <Instant at={since} />. {i18n.t("admin.day.covers")}
      </p>
      <Figures
        caption="admin.day.title"
        rows={[
          { label: "admin.day.finished", value: i18n.number(finished) },
          { label: "admin.day.failed", value: i18n.number(failedCount) },
          { label: "admin.day.meanWait", value: wait(waitedMs / claimed) },
          { label: "admin.day.longestWait", value: wait(longestWaitMs) },
          { label: "admin.day.browserRestarts", value: i18n.number(browserRestarts) },
        ]}
      />
      {failures.length > 0 && (
        <DataTable
          caption={i18n.t("admin.day.failures")}
          rows={failures}
          columns={[
            { label: i18n.t("failed.code"), cell: ([code]) => <code {...untranslated}>{code}</code> },
            { label: i18n.t("admin.day.scans"), numeric: true, cell: ([, count]) => i18n.number(count) },
          ]}
        />
      )}
    </section>
  );
}

export function AdminServer() {
  const { i18n, settings } = useVisit();
  const { startedAt, storeBytes, diskSpace, versions } = settings.operator;
  const disk = diskSpace();
  const stored = storeBytes();
  const { assay, bun, chromium, schema } = versions();
  const megabytes = (bytes: number) => i18n.t("admin.server.megabytes", { megabytes: i18n.number(Math.floor(bytes / bytesPerMegabyte)) });
  const unknown = i18n.t("admin.server.unknown");
  return (
    <section aria-labelledby="server-title">
      <h2 id="server-title">{i18n.t("admin.server.title")}</h2>
      <Figures
        caption="admin.server.title"
        rows={[
          { label: "admin.server.started", value: <Instant at={startedAt.toISOString()} /> },
          { label: "admin.server.store", value: stored === null ? unknown : megabytes(stored) },
          { label: "admin.server.diskFree", value: disk === null ? unknown : megabytes(disk.freeBytes) },
          { label: "admin.server.diskTotal", value: disk === null ? unknown : megabytes(disk.totalBytes) },
          { label: "admin.server.assay", value: assay },
          { label: "admin.server.bun", value: bun },
          { label: "admin.server.chromium", value: chromium ?? i18n.t("admin.server.notStarted") },
          { label: "admin.server.schema", value: String(schema) },
        ]}
      />
    </section>
  );
}

function Figures({ caption, rows }: { readonly caption: TextPath; readonly rows: readonly Figure[] }) {
  const { i18n } = useVisit();
  return (
    <DataTable
      caption={i18n.t(caption)}
      captionUnseen
      rows={rows}
      columns={[
        { label: i18n.t("admin.day.figure"), cell: ({ label }) => i18n.t(label) },
        { label: i18n.t("admin.day.value"), numeric: true, cell: ({ value }) => value },
      ]}
    />
  );
}
