/** Menu of the files of a report: PDF, and one for each export format. */
import { type ExportFormat, exportFormats } from "../../export/formats.ts";
import { plainUntrustedText } from "../../report/components/untrusted-text.tsx";
import { type BrandChoice, brandQuery } from "../account/brand/account-brands.ts";
import { useVisit } from "../context.ts";

/** Formats that have a brand. */
const brandedFormats = ["pdf", "html"] as const;

interface DownloadsProps {
  /** Token of the scan. */
  readonly token: string;
  /** Brands that the visitor may use. */
  readonly brands: readonly BrandChoice[];
}

export function Downloads({ token, brands }: DownloadsProps) {
  const { i18n } = useVisit();
  return (
    <details class="menu">
      <summary class="button">{i18n.t("report.downloads.button")}</summary>
      <div>
        <ul class="plain">
          {Object.entries<Pick<ExportFormat, "extension">>({ pdf: { extension: "pdf" }, ...exportFormats }).map(([name, { extension }]) => (
            <li key={name}>
              <a href={`/scans/${token}.${extension}`} download>
                <FormatLabel name={name} extension={extension} />
              </a>
            </li>
          ))}
          {brands.flatMap((brand) =>
            brandedFormats.map((format) => (
              <li key={`${format} ${brand.value}`}>
                <a href={`/scans/${token}.${format}${brandQuery(brand)}`} download>
                  {i18n.t(`brand.downloads.${format}`, { brand: plainUntrustedText(brand.name) })}
                </a>
              </li>
            )),
          )}
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
