/** Query parameters that the schemas have accepted, with their defaults. */
import { type Locale, locales } from "../check/check.ts";
import { invalidLocale, invalidReportQuery } from "./errors.ts";
import type { ReportFileOptions } from "./report-files.ts";
import { csvRows, fileBrands } from "./schemas.ts";

/** @throws ApiError 400 when the parameter is repeated. */
export function localeOf(requested: Locale | undefined, { url }: Request): Locale {
  if (isRepeated(url, ["locale"])) throw invalidLocale();
  return requested ?? locales[0];
}

interface ReportFileParameters {
  readonly locale?: Locale;
  readonly csv?: ReportFileOptions["csv"];
  readonly strict?: "true" | "false";
  readonly brand?: ReportFileOptions["brand"];
}

/** @throws ApiError 400 when a parameter is repeated. */
export function reportFileOptionsOf({ locale, csv, strict, brand }: ReportFileParameters, { url }: Request): ReportFileOptions {
  if (isRepeated(url, ["locale", "csv", "strict", "brand"])) throw invalidReportQuery();
  return { locale: locale ?? locales[0], csv: csv ?? csvRows[0], strict: strict === "true", brand: brand ?? fileBrands[0] };
}

function isRepeated(url: string, names: readonly string[]): boolean {
  if (!url.includes("&")) return false;
  const { searchParams } = new URL(url);
  return names.some((name) => searchParams.getAll(name).length > 1);
}
