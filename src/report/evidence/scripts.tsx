/** Evidence of the scripts: the libraries with their versions, whether or not they are vulnerable, and the files of other sites. */
import type { Evidence } from "../../evidence/evidence.ts";
import type { ScriptLibrariesFacts, ScriptsFacts } from "../../evidence/page-facts.ts";
import { DataTable } from "../components/table.tsx";
import { UntrustedText } from "../components/untrusted-text.tsx";
import { useI18n } from "../context.ts";
import { displayLimits, OmittedCount, ReadingContent, UntrustedLine } from "./evidence-blocks.tsx";

export function ScriptsEvidence({ evidence: { scripts, scriptLibraries } }: { readonly evidence: Evidence }) {
  const i18n = useI18n();
  return (
    <>
      <h4>{i18n.t("evidence.scripts.libraries")}</h4>
      <ReadingContent reading={scriptLibraries}>{(facts) => <Libraries facts={facts} />}</ReadingContent>
      <h4>{i18n.t("evidence.scripts.otherSites")}</h4>
      <ReadingContent reading={scripts}>{(facts) => <FilesOfOthers facts={facts} />}</ReadingContent>
    </>
  );
}

function Libraries({
  facts: { advisoriesDate, libraries, librariesDropped, bannersUnread, variablesRead },
}: {
  readonly facts: ScriptLibrariesFacts;
}) {
  const i18n = useI18n();
  const shown = libraries.slice(0, displayLimits.rowsMax);
  return (
    <>
      <p class="muted">{i18n.t(shown.length === 0 ? "evidence.scripts.noLibrary" : "evidence.scripts.lead", { date: advisoriesDate })}</p>
      {shown.length > 0 && (
        <DataTable
          caption={i18n.t("evidence.scripts.libraries")}
          captionUnseen
          rows={shown}
          columns={[
            { label: i18n.t("evidence.scripts.library"), cell: ({ name }) => <UntrustedText>{name}</UntrustedText> },
            { label: i18n.t("evidence.scripts.version"), cell: ({ version }) => <UntrustedText>{version}</UntrustedText> },
            {
              label: i18n.t("evidence.scripts.detectedBy"),
              cell: ({ detectedBy }) => detectedBy.map((way) => i18n.t(`evidence.scripts.ways.${way}`)).join(", "),
            },
            { label: i18n.t("evidence.navigation.url"), cell: ({ url }) => (url === null ? null : <UntrustedLine>{url}</UntrustedLine>) },
          ]}
        />
      )}
      <OmittedCount count={libraries.length - shown.length + librariesDropped} />
      {bannersUnread > 0 && <p class="muted">{i18n.count("evidence.scripts.bannersUnread", bannersUnread)}</p>}
      {!variablesRead && <p class="muted">{i18n.t("evidence.scripts.variablesUnread")}</p>}
    </>
  );
}

function FilesOfOthers({ facts: { files, filesDropped } }: { readonly facts: ScriptsFacts }) {
  const i18n = useI18n();
  const others = files.filter(({ sameSite }) => !sameSite);
  const shown = others.slice(0, displayLimits.rowsMax);
  if (shown.length === 0 && filesDropped === 0) return <p class="muted">{i18n.t("evidence.scripts.noOtherSite")}</p>;
  return (
    <>
      {shown.length > 0 && (
        <ul>
          {shown.map(({ url, answeredBy }) => (
            <li key={url}>
              <UntrustedLine>{answeredBy ?? url}</UntrustedLine>
            </li>
          ))}
        </ul>
      )}
      <OmittedCount count={others.length - shown.length + filesDropped} />
    </>
  );
}
