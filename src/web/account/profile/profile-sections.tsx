/** The forms of `/account`, each a section of its own. */
import { locales } from "../../../check/check.ts";
import { type Account, themes } from "../../../store/accounts.ts";
import { SelectField } from "../../components/field.tsx";
import { SubmitButton } from "../../components/submit-button.tsx";
import { useWords } from "../../context.ts";
import { Form } from "../../form.tsx";
import { CurrentPassword, EmailField, FormErrorNotice, NewPassword } from "../fields.tsx";
import { errorAt, type FormError } from "../form-error.ts";

interface WithFormError {
  readonly formError: FormError | null;
}

export function SignOut() {
  const words = useWords();
  return (
    <Form action="/sign-out">
      <SubmitButton kind="plain">{words.say("signOut.submit")}</SubmitButton>
    </Form>
  );
}

export function PreferencesSection({ account }: { readonly account: Account }) {
  const words = useWords();
  return (
    <section aria-labelledby="preferences">
      <h2 id="preferences">{words.say("account.preferences.title")}</h2>
      <Form action="/account" class="inline">
        <input type="hidden" name="do" value="preferences" />
        <SelectField
          name="locale"
          label={words.say("account.preferences.language")}
          value={account.locale ?? ""}
          options={[
            { value: "", text: words.say("account.preferences.asBrowser") },
            ...locales.map((locale) => ({ value: locale, text: words.say(`account.preferences.languages.${locale}`) })),
          ]}
        />
        <SelectField
          name="theme"
          label={words.say("account.preferences.theme")}
          value={account.theme}
          options={themes.map((theme) => ({ value: theme, text: words.say(`account.preferences.themes.${theme}`) }))}
        />
        <SubmitButton>{words.say("account.preferences.submit")}</SubmitButton>
      </Form>
    </section>
  );
}

export function EmailSection({ email, formError }: WithFormError & { readonly email: string }) {
  const words = useWords();
  return (
    <section aria-labelledby="email-title">
      <h2 id="email-title">{words.say("account.email.title")}</h2>
      <p>{words.say("account.email.text")}</p>
      <FormErrorNotice formError={formError} />
      <Form action="/account">
        <input type="hidden" name="do" value="email" />
        <EmailField value={email} error={errorAt(formError, "email")} />
        <CurrentPassword name="password" id="email-password" error={errorAt(formError, "password")} />
        <SubmitButton>{words.say("account.email.submit")}</SubmitButton>
      </Form>
    </section>
  );
}

export function PasswordSection({ formError }: WithFormError) {
  const words = useWords();
  return (
    <section aria-labelledby="password-title">
      <h2 id="password-title">{words.say("account.password.title")}</h2>
      <p>{words.say("account.password.text")}</p>
      <FormErrorNotice formError={formError} />
      <Form action="/account">
        <input type="hidden" name="do" value="password" />
        <CurrentPassword name="password" id="current-password" error={errorAt(formError, "password")} />
        <NewPassword name="new-password" error={errorAt(formError, "new-password")} />
        <SubmitButton>{words.say("account.password.submit")}</SubmitButton>
      </Form>
    </section>
  );
}
