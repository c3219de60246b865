/** `POST /admin/scans/{token}/cancel`: ends a waiting or running scan of anybody. */

import { hostOf } from "../../parse/site.ts";
import type { ScanRecord } from "../../store/scans.ts";
import { SubmitButton } from "../components/submit-button.tsx";
import { useVisit } from "../context.ts";
import { scanNotFoundPage } from "../errors.ts";
import { Form, readForm } from "../form.tsx";
import { redirect } from "../response.ts";
import type { Visit } from "../visit.ts";
import { adminOf } from "./admin-frame.tsx";

/** Answers when nothing of the scan is left. @throws PageError 404 for an unknown scan. */
export async function postAdminCancel(visit: Visit, token: string | null): Promise<Response> {
  const admin = adminOf(visit);
  await readForm(visit);
  const outcome = await visit.settings.scanning.cancelScan(token ?? "", admin);
  if (outcome === "unknown") throw scanNotFoundPage();
  return redirect(visit, `/admin?done=${outcome}#queue`);
}

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
