/** What the policy of a pipeline says about a finding. */
import type { FindingMark } from "../policy/finding-mark.ts";
import { UntrustedText } from "./components/untrusted-text.tsx";
import { useI18n } from "./context.ts";

interface OfMark {
  readonly mark: FindingMark;
}

/** Beside the title of a finding. */
export function MarkChips({ mark: { accepted, inBaseline } }: OfMark) {
  const i18n = useI18n();
  return (
    <>
      {accepted !== null && (
        <>
          {" "}
          <span class="chip unknown outlined">{i18n.t("report.marks.accepted")}</span>
        </>
      )}
      {typeof inBaseline === "boolean" && (
        <>
          {" "}
          {inBaseline ? (
            <span class="muted small">{i18n.t("report.marks.known")}</span>
          ) : (
            <span class="chip warn">{i18n.t("report.marks.new")}</span>
          )}
        </>
      )}
    </>
  );
}

/** Reason and last day of an accepted finding; null for others. */
export function AcceptedBecause({ mark: { accepted } }: OfMark) {
  const i18n = useI18n();
  if (accepted === null) return null;
  const { reason, until } = accepted;
  return (
    <p>
      <strong>
        {until === null ? i18n.t("report.marks.acceptedBecause") : i18n.t("report.marks.acceptedUntil", { date: i18n.date(until) })}
      </strong>{" "}
      <UntrustedText>{reason}</UntrustedText>
    </p>
  );
}
