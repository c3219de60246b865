/** `POST /admin/scans/{token}/cancel`: ends a waiting or running scan of anybody. */

import { hostOf } from "../../parse/site.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { scanNotFoundPage } from "../errors.ts";
import { Form } from "../form.tsx";
import type { PostFor } from "../guards.ts";
import { redirect } from "../response.ts";

/** Answers when nothing of the scan is left. @throws PageError 404 for an unknown scan. */
export const postAdminCancel: PostFor<"administrators"> = async (visit, admin, _fields, token) => {
  const outcome = await visit.settings.scanning.cancelScan(token ?? "", admin);
  if (outcome === "unknown") throw scanNotFoundPage();
  return redirect(visit, `/admin?done=${outcome}#queue`);
};

export function AdminCancelScan({ scan: { token, url } }: { readonly scan: Pick<ScanRecord, "token" | "url"> }) {
  const { i18n } = useVisit();
  return (
    <Form action={`/admin/scans/${token}/cancel`}>
      <SubmitButton kind="danger" compact label={i18n.t("admin.queue.cancelOf", { host: hostOf(url) ?? url })}>
        {i18n.t("admin.queue.cancel")}
      </SubmitButton>
    </Form>
  );
}
