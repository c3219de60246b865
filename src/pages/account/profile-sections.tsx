/** The forms of `/account`, each a section of its own. */
import { locales } from "../../check/check.ts";
import { type Account, themes } from "../../store/accounts.ts";
import { SelectField } from "../components/field.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useWords } from "../context.ts";
import { Form } from "../form.tsx";
import { Alert, CurrentPassword, EmailField, NewPassword } from "./fields.tsx";

/** What was wrong with which form. */
export interface ProfileTrouble {
  readonly form: "email" | "password";
  readonly field: { readonly name: "email" | "password" | "new-password"; readonly text: string } | null;
  readonly whole: string | null;
  /** The address as it was typed. */
  readonly email?: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Troubled {
  readonly trouble: ProfileTrouble | null;
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

export function EmailSection({ account, trouble }: Troubled & { readonly account: Account }) {
  const words = useWords();
  const { errorOf, whole, typed } = troubleOf(trouble, "email");
  return (
    <section aria-labelledby="email-title">
      <h2 id="email-title">{words.say("account.email.title")}</h2>
      <p>{words.say("account.email.text")}</p>
      <Alert>{whole}</Alert>
      <Form action="/account">
        <input type="hidden" name="do" value="email" />
        <EmailField value={typed ?? account.email} error={errorOf("email")} />
        <CurrentPassword name="password" id="email-password" error={errorOf("password")} />
        <SubmitButton>{words.say("account.email.submit")}</SubmitButton>
      </Form>
    </section>
  );
}

export function PasswordSection({ trouble }: Troubled) {
  const words = useWords();
  const { errorOf, whole } = troubleOf(trouble, "password");
  return (
    <section aria-labelledby="password-title">
      <h2 id="password-title">{words.say("account.password.title")}</h2>
      <p>{words.say("account.password.text")}</p>
      <Alert>{whole}</Alert>
      <Form action="/account">
        <input type="hidden" name="do" value="password" />
        <CurrentPassword name="password" id="current-password" error={errorOf("password")} />
        <NewPassword name="new-password" error={errorOf("new-password")} />
        <SubmitButton>{words.say("account.password.submit")}</SubmitButton>
      </Form>
    </section>
  );
}

/** What of the trouble belongs to this form. */
function troubleOf(trouble: ProfileTrouble | null, form: ProfileTrouble["form"]) {
  const own = trouble?.form === form ? trouble : null;
  return {
    errorOf: (name: string) => (own?.field?.name === name ? own.field.text : undefined),
    whole: own?.whole ?? null,
    typed: own?.email,
  };
}
