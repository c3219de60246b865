/** Why a scan failed, and what to try. */
import { type ScanErrorCode, scanErrorCodes } from "../evidence/scan.ts";
import { scanErrorMessage } from "../text/render.ts";
import { Instant } from "./components/instant.tsx";
import { Notice } from "./components/notice.tsx";
import { useDocument } from "./context.ts";

interface FailureProps {
  /** Of the scan. */
  readonly url: string;
  /** May be unknown to this version. */
  readonly code: string;
}

export function FailureReason({ url, code }: FailureProps) {
  const { i18n, texts } = useDocument();
  return (
    <>
      <Notice kind="poor">
        <p>{scanErrorMessage(code, url, i18n.locale, texts)}</p>
      </Notice>
      <h2>{i18n.t("failed.nextTitle")}</h2>
      <p>{i18n.t(`failed.next.${knownCode(code)}`)}</p>
    </>
  );
}

export function FailureFacts({ endedAt, code }: { readonly endedAt: string } & Pick<FailureProps, "code">) {
  const { i18n } = useDocument();
  return (
    <p class="muted">
      {i18n.t("failed.ended")} <Instant at={endedAt} />
      <br />
      {i18n.t("failed.code")} <code>{code}</code>
    </p>
  );
}

function knownCode(code: string): ScanErrorCode | "unknown" {
  return scanErrorCodes.find((known) => known === code) ?? "unknown";
}
