/** Sections of `/account`, one form each. */

import { useI18n } from "../../../report/context.ts";
import { type Account, themes } from "../../../store/accounts.ts";
import { languageName } from "../../../text/translator.ts";
import { SelectField } from "../../components/field.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useVisit } from "../../context.ts";
import { Form } from "../../form.tsx";
import { CurrentPassword, EmailField, FormErrorNotice, NewPassword } from "../fields.tsx";
import { errorAt, type FormError } from "../form-error.ts";

interface WithFormError {
  readonly formError: FormError | null;
}

export function SignOut() {
  const i18n = useI18n();
  return (
    <Form action="/sign-out">
      <SubmitButton kind="plain">{i18n.t("signOut.submit")}</SubmitButton>
    </Form>
  );
}

export function PreferencesSection({ account }: { readonly account: Account }) {
  const { i18n, settings } = useVisit();
  return (
    <section aria-labelledby="preferences">
      <h2 id="preferences">{i18n.t("account.preferences.title")}</h2>
      <Form action="/account" class="inline">
        <input type="hidden" name="do" value="preferences" />
        <SelectField
          name="locale"
          label={i18n.t("account.preferences.language")}
          value={account.locale ?? ""}
          options={[
            { value: "", text: i18n.t("account.preferences.asBrowser") },
            ...settings.texts.locales.map((locale) => ({ value: locale, text: languageName(settings.texts, locale) })),
          ]}
        />
        <SelectField
          name="theme"
          label={i18n.t("account.preferences.theme")}
          value={account.theme}
          options={themes.map((theme) => ({ value: theme, text: i18n.t(`account.preferences.themes.${theme}`) }))}
        />
        <SubmitButton>{i18n.t("account.preferences.submit")}</SubmitButton>
      </Form>
    </section>
  );
}

export function EmailSection({ email, formError }: WithFormError & { readonly email: string }) {
  const { i18n, settings } = useVisit();
  return (
    <section aria-labelledby="email-title">
      <h2 id="email-title">{i18n.t("account.email.title")}</h2>
      <p>{i18n.t(settings.mail === null ? "account.email.text" : "account.email.textWithMail")}</p>
      <FormErrorNotice formError={formError} />
      <Form action="/account">
        <input type="hidden" name="do" value="email" />
        <EmailField value={email} error={errorAt(formError, "email")} />
        <CurrentPassword name="password" id="email-password" error={errorAt(formError, "password")} />
        <SubmitButton>{i18n.t("account.email.submit")}</SubmitButton>
      </Form>
    </section>
  );
}

export function PasswordSection({ formError }: WithFormError) {
  const i18n = useI18n();
  return (
    <section aria-labelledby="password-title">
      <h2 id="password-title">{i18n.t("account.password.title")}</h2>
      <p>{i18n.t("account.password.text")}</p>
      <FormErrorNotice formError={formError} />
      <Form action="/account">
        <input type="hidden" name="do" value="password" />
        <CurrentPassword name="password" id="current-password" error={errorAt(formError, "password")} />
        <NewPassword name="new-password" error={errorAt(formError, "new-password")} />
        <SubmitButton>{i18n.t("account.password.submit")}</SubmitButton>
      </Form>
    </section>
  );
}
