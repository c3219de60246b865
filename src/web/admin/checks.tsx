/** `/admin/checks`: the loaded catalog and the files of plugin checks. */
import type { PluginFile } from "../../catalog/catalog.ts";
import type { ReloadResult } from "../../catalog/catalog-holder.ts";
import { describeFault, describeFaults, type PluginFault } from "../../catalog/fault.ts";
import { Instant } from "../../report/components/labels.tsx";
import { Notice } from "../../report/components/notice.tsx";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { accountActor } from "../../store/audit.ts";
import { shortCharge } from "../../text/charge.ts";
import { ActionForm } from "../components/forms.tsx";
import { PageSection, TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import type { GetFor, PostFor } from "../guards.ts";
import { adminPage } from "../private-page.tsx";
import { redirect } from "../response.ts";

/** Heading of the reload, where its result is shown. */
const reloadId = "reload";

/** Answers when the reload is over: at most the limit for loading, after the end of one that runs already. */
export const postReload: PostFor<"administrators"> = async (visit, admin) => {
  await visit.settings.operator.checks.reload(accountActor(admin));
  return redirect(visit, `/admin/checks#${reloadId}`);
};

export const getAdminChecks: GetFor<"administrators"> = (visit) => {
  const { i18n, settings } = visit;
  const { catalog } = settings;
  const pluginCount = Object.keys(catalog.pluginFiles).length;
  return adminPage(visit, {
    title: "admin.checks.title",
    children: (
      <>
        <p>
          {i18n.count("admin.checks.builtIn", catalog.checks.length - pluginCount)}{" "}
          {i18n.t("admin.checks.catalog", { version: catalog.version })}
        </p>
        {catalog.warnings.length > 0 && (
          <Notice kind="warn" title={i18n.t("admin.checks.unknownKeys")}>
            <ul {...untranslated}>
              {catalog.warnings.map(describeFault).map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Notice>
        )}
        {pluginCount === 0 ? <p>{i18n.t("admin.checks.none")}</p> : <PluginFiles />}
        <Reload />
        <p>{i18n.t("admin.checks.trust")}</p>
        <p>{i18n.t("admin.checks.faults")}</p>
      </>
    ),
  });
};

function File({ file }: { readonly file: PluginFile | undefined }) {
  return (
    <>
      <code {...untranslated}>{file?.path}</code>
      <br />
      <code class="muted" {...untranslated}>
        SHA-256 {file?.sha256}
      </code>
    </>
  );
}

function Reload() {
  const { i18n, settings } = useVisit();
  const last = settings.operator.checks.lastReload();
  return (
    <PageSection anchor={reloadId} id="reload-title" title="admin.checks.reload.title">
      <p>{i18n.t("admin.checks.reload.intro")}</p>
      {last !== null && (
        <>
          <p>
            {i18n.t("admin.checks.reload.at")} <Instant at={last.at} />
          </p>
          {last.outcome === "refused" ? <Faults faults={last.faults} /> : <Changes result={last} />}
        </>
      )}
      <ActionForm action="/admin/checks/reload" submit="admin.checks.reload.begin" />
    </PageSection>
  );
}

/** Faults are English, as on the command line. */
function Faults({ faults }: { readonly faults: readonly PluginFault[] }) {
  const { i18n } = useVisit();
  return (
    <Notice kind="poor" title={i18n.t("admin.checks.reload.refused")}>
      <ul lang="en" {...untranslated}>
        {describeFaults(faults).map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </Notice>
  );
}

function Changes({ result }: { readonly result: Extract<ReloadResult, { readonly outcome: "replaced" }> }) {
  const { i18n } = useVisit();
  const kinds = (["added", "removed", "changed"] as const).filter((kind) => result[kind].length > 0);
  return (
    <Notice kind="good">
      <p>{i18n.t("admin.checks.reload.replaced")}</p>
      {kinds.length === 0 && <p>{i18n.t("admin.checks.reload.same")}</p>}
      {kinds.map((kind) => (
        <p key={kind}>
          {i18n.t(`admin.checks.reload.${kind}`)} <code {...untranslated}>{result[kind].join(", ")}</code>
        </p>
      ))}
    </Notice>
  );
}

function PluginFiles() {
  const { i18n, settings } = useVisit();
  const { checks, pluginFiles } = settings.catalog;
  return (
    <TextTable
      caption="admin.checks.caption"
      captionUnseen={false}
      rows={checks.filter(({ key }) => Object.hasOwn(pluginFiles, key))}
      columns={{
        "admin.checks.key": ({ key }) => (
          <a href={`/checks/${encodeURIComponent(key)}`} {...untranslated}>
            {key}
          </a>
        ),
        "admin.checks.label": ({ key }) => <span class="break">{settings.texts.ofCheck(i18n.locale, key)?.label ?? key}</span>,
        "admin.checks.weight": { numeric: true, cell: (check) => shortCharge(check, i18n) },
        "admin.checks.file": ({ key }) => <File file={pluginFiles[key]} />,
      }}
    />
  );
}
