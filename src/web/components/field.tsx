/** Form fields with label, hint, error and value. */
import type { ComponentChildren } from "preact";
import { Icon } from "../../report/components/notice.tsx";
import { useI18n } from "../../report/context.ts";

interface Labelled {
  readonly name: string;
  readonly label: string;
  /** Defaults to the name; needed if two forms of a page share a field name. */
  readonly id?: string;
  readonly hint?: ComponentChildren;
  /** Error text; the first field with an error gets the focus. */
  readonly error?: string | undefined;
}

interface FieldProps extends Labelled {
  readonly type?: "text" | "email" | "password" | "url" | "search";
  readonly value?: string;
  /** HTML autofill token, as in `current-password`. */
  readonly autocomplete?: string;
  readonly inputMode?: "text" | "url" | "numeric" | "email";
  /** Default true; optional fields are labelled as such. */
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly autofocus?: boolean;
  readonly placeholder?: string;
  readonly readOnly?: boolean;
  /** Id of a `datalist` with suggestions. */
  readonly list?: string;
  /** Disables spell checking and capitalization, for codes, addresses and host names. */
  readonly verbatim?: boolean;
}

export function Field({
  name,
  label,
  id = name,
  hint,
  error,
  required = true,
  verbatim = false,
  autofocus,
  type = "text",
  ...rest
}: FieldProps) {
  const i18n = useI18n();
  const input = (
    <input
      id={id}
      name={name}
      // The JSX types accept only one literal input type at a time.
      type={type as "text"}
      required={required}
      autofocus={autofocus === true || error !== undefined}
      {...(verbatim ? { spellcheck: false } : {})}
      // HTML defines no `autocapitalize` for mail addresses and passwords.
      {...(verbatim && type === "text" ? { autocapitalize: "none" } : {})}
      {...describedBy(id, hint, error)}
      {...rest}
    />
  );
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && type !== "search" && <span class="muted small"> ({i18n.t("components.optional")})</span>}
      </label>
      <HintAndError id={id} hint={hint} error={error} />
      {type === "password" ? (
        <>
          {input}
          <button type="button" class="reveal" data-reveal={`#${id}`} aria-pressed="false" aria-controls={id} hidden>
            {i18n.t("components.showPassword")}
          </button>
        </>
      ) : (
        input
      )}
    </div>
  );
}

interface TextAreaFieldProps extends Labelled {
  readonly value: string;
  readonly rows: number;
  readonly maxLength?: number;
  /** Default true; optional fields are labelled as such. */
  readonly required?: boolean;
}

/** For addresses and tables, so without spell checking and capitalization. */
export function TextAreaField({ name, label, id = name, hint, error, value, required = true, ...rest }: TextAreaFieldProps) {
  const i18n = useI18n();
  return (
    <div class="field">
      <label for={id}>
        {label}
        {!required && <span class="muted small"> ({i18n.t("components.optional")})</span>}
      </label>
      <HintAndError id={id} hint={hint} error={error} />
      <textarea
        id={id}
        name={name}
        required={required}
        autofocus={error !== undefined}
        spellcheck={false}
        autocapitalize="none"
        {...describedBy(id, hint, error)}
        {...rest}
      >
        {value}
      </textarea>
    </div>
  );
}

interface FileFieldProps extends Labelled {
  /** Media types that the browser offers; the server decides by the content. */
  readonly accept: string;
}

/** Always optional: a form that is shown again cannot keep the chosen file. */
export function FileField({ name, label, id = name, hint, error, accept }: FileFieldProps) {
  const i18n = useI18n();
  return (
    <div class="field">
      <label for={id}>
        {label}
        <span class="muted small"> ({i18n.t("components.optional")})</span>
      </label>
      <HintAndError id={id} hint={hint} error={error} />
      <input id={id} name={name} type="file" accept={accept} autofocus={error !== undefined} {...describedBy(id, hint, error)} />
    </div>
  );
}

interface SelectFieldProps extends Labelled {
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly value?: string;
}

export function SelectField({ name, label, id = name, hint, error, options, value }: SelectFieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <HintAndError id={id} hint={hint} error={error} />
      <select id={id} name={name} autofocus={error !== undefined} {...describedBy(id, hint, error)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface CheckFieldProps {
  readonly name: string;
  readonly value: string;
  readonly label: ComponentChildren;
  readonly checked: boolean;
}

/** Checkbox with its label beside it. */
export function CheckField({ label, ...input }: CheckFieldProps) {
  return (
    <label class="choice">
      <input type="checkbox" {...input} />
      <span>{label}</span>
    </label>
  );
}

type About = Pick<Labelled, "hint" | "error">;

function HintAndError({ id, hint, error }: About & { readonly id: string }) {
  return (
    <>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          <Icon name="warning" />
          {error}
        </p>
      )}
    </>
  );
}

function describedBy(id: string, hint: About["hint"], error: About["error"]) {
  const ids = [error === undefined ? "" : `${id}-error`, hint === undefined ? "" : `${id}-hint`].filter((part) => part !== "");
  return {
    ...(ids.length === 0 ? {} : { "aria-describedby": ids.join(" ") }),
    ...(error === undefined ? {} : { "aria-invalid": "true" as const }),
  };
}
