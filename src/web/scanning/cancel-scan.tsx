/** `POST /scans/{token}/cancel`: removes a waiting scan of the visitor's account from the queue. */
import { cancelOwnScan } from "../../scans/scan-operations.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { ActionForm } from "../components/forms.tsx";
import { scanBegunPage, scanNotFoundPage, signInFirst } from "../errors.ts";
import { readForm } from "../form.tsx";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";

/** @throws PageError 401 for guests, 404 for the scan of somebody else, 409 for one that has begun. */
export async function postCancel(visit: Visit, { token }: ScanRecord): Promise<Response> {
  const { account, settings } = visit;
  if (account === null) throw signInFirst();
  await readForm(visit);
  const cancelled = await cancelOwnScan(settings, account, token);
  if ("refused" in cancelled) throw cancelled.refused === "unknown" ? scanNotFoundPage() : scanBegunPage();
  return redirect(visit, "/account/scans?done=cancelled");
}

/** Button for the account of the scan. The script hides it when the scan leaves the queue. */
export function CancelScan({ scan: { token, status } }: { readonly scan: ScanRecord }) {
  return status !== "queued" ? null : (
    <div data-when="queued">
      <ActionForm action={`/scans/${token}/cancel`} submit="progress.cancel" kind="plain" />
    </div>
  );
}
