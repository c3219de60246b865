/** Menu of the files of a report, one for each export format. */
import { type ExportFormat, exportFormats } from "../../export/formats.ts";
import { useVisit } from "../context.ts";

interface DownloadsProps {
  /** Of the scan. */
  readonly token: string;
}

export function Downloads({ token }: DownloadsProps) {
  const { i18n } = useVisit();
  return (
    <details class="menu">
      <summary class="button">{i18n.t("report.downloads.button")}</summary>
      <div>
        <ul class="plain">
          {Object.entries<ExportFormat>(exportFormats).map(([name, { extension }]) => (
            <li key={name}>
              <a href={`/scans/${token}.${extension}`} download>
                <FormatLabel name={name} extension={extension} />
              </a>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}

/** The extension for a format without a text. */
function FormatLabel({ name, extension }: { readonly name: string; readonly extension: string }) {
  const { i18n, settings } = useVisit();
  return <>{settings.texts.translate(i18n.locale, ["pages", "report", "downloads", "formats", name]) ?? `.${extension}`}</>;
}
