/** Section of `/account` on the link to an identity, with the form that removes it. */
import type { Account } from "../../../store/accounts.ts";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { Form } from "../../form.tsx";
import { CurrentPassword, FormErrorNotice } from "../fields.tsx";
import { errorAt, type FormError } from "../form-error.ts";

/** Null without a provider and without a link. A link outlives the settings of its provider, and names it by its host then. */
export function LinkSection({ account, formError }: { readonly account: Account; readonly formError: FormError | null }) {
  const { i18n, settings } = useVisit();
  const { oidc, passwordHash } = settings.store.credentials.get(account.id);
  const provider = settings.accounts.oidc?.label ?? (oidc ? URL.parse(oidc.issuer)?.host : null) ?? null;
  if (provider === null) return null;
  return (
    <section aria-labelledby="link-title">
      <h2 id="link-title">{i18n.t("account.oidc.title", { provider })}</h2>
      <p>
        {oidc ? i18n.t("account.oidc.linked", { provider, day: i18n.date(oidc.linkedAt) }) : i18n.t("account.oidc.unlinked", { provider })}
      </p>
      {oidc && passwordHash === null && <p>{i18n.t("account.oidc.only")}</p>}
      {oidc && passwordHash !== null && (
        <>
          <p>{i18n.t("account.oidc.removeText")}</p>
          <FormErrorNotice formError={formError} />
          <Form action="/account">
            <input type="hidden" name="do" value="unlink" />
            <CurrentPassword name="password" id="unlink-password" error={errorAt(formError, "password")} />
            <SubmitButton kind="danger">{i18n.t("account.oidc.remove")}</SubmitButton>
          </Form>
        </>
      )}
    </section>
  );
}
