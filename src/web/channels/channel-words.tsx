/** Words for kinds of channels, and for attempts that failed. */
import { chatServices } from "../../channels/chat-services.ts";
import { type ChannelKind, isChatKind } from "../../store/channels.ts";
import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";
import type { SharedVisit } from "../visit.ts";

export function kindName(kind: ChannelKind, { t }: SharedVisit["i18n"]): string {
  return isChatKind(kind) ? chatServices[kind].product : t(`channels.kinds.${kind}`);
}

interface Failure {
  /** Code of the failure; null for a success. */
  readonly because: string | null;
  readonly status: number | null;
}

/** Status, time and, in words, the failure: what a receiver answered is not shown. */
export function AttemptText({ status, ms, because }: Failure & { readonly ms: number }) {
  const { i18n } = useVisit();
  const text = failureText({ because, status });
  return (
    <>
      {status === null ? i18n.t("channels.test.noStatus") : i18n.t("channels.test.status", { status })}{" "}
      {i18n.t("channels.test.time", { ms: i18n.number(Math.round(ms)) })}{" "}
      {text === null ? because !== null && <code>{because}</code> : i18n.t(text)}
    </>
  );
}

const codesInWords = [
  "redirect",
  "gone",
  "certificate",
  "tls",
  "unresolved",
  "timeout",
  "unreachable",
  "invalid",
  "blocked",
  "internal",
] as const;

/** Null for a success, and for failures of mail, which have a code alone. */
function failureText({ because, status }: Failure): TextPath | null {
  if ((because === "status" || (because === "gone" && status !== 410)) && status !== null)
    return `channels.test.because.${statusText(status)}`;
  if (because === "refused" && status === null) return "channels.test.because.closed";
  const code = codesInWords.find((each) => each === because);
  return code === undefined ? null : `channels.test.because.${code}`;
}

function statusText(status: number) {
  if (status === 401 || status === 403 || status === 404) return "address";
  if (status === 413) return "tooLarge";
  if (status === 429) return "tooMany";
  return status >= 500 ? "receiver" : "refused";
}
