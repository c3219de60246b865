/** Controls of forms with label, hint, error and value. `form-fields.tsx` describes fields as data. */
import type { ComponentChildren } from "preact";
import { Icon } from "../../report/components/notice.tsx";
import { useI18n } from "../../report/context.ts";

interface LabelledProps {
  readonly name: string;
  readonly label: string;
  /** Defaults to the name; needed if two forms of a page share a field name. */
  readonly id?: string;
  readonly hint?: ComponentChildren;
  /** Error text; the first field with an error gets the focus. */
  readonly error?: string | undefined;
}

export interface FieldProps extends LabelledProps {
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
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional={!required && type !== "search"}>
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
      {type === "password" && (
        <button type="button" class="reveal" data-reveal={`#${id}`} aria-pressed="false" aria-controls={id} hidden>
          {i18n.t("components.showPassword")}
        </button>
      )}
    </Labelled>
  );
}

interface TextAreaFieldProps extends LabelledProps {
  readonly value?: string;
  readonly rows: number;
  readonly maxLength?: number;
  /** Default true; optional fields are labelled as such. */
  readonly required?: boolean;
}

/** For addresses and tables, so without spell checking and capitalization. */
export function TextAreaField({ name, label, id = name, hint, error, value = "", required = true, ...rest }: TextAreaFieldProps) {
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional={!required}>
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
    </Labelled>
  );
}

interface FileFieldProps extends LabelledProps {
  /** Media types that the browser offers; the server decides by the content. */
  readonly accept: string;
}

/** Always optional: a form that is shown again cannot keep the chosen file. */
export function FileField({ name, label, id = name, hint, error, accept }: FileFieldProps) {
  return (
    <Labelled id={id} label={label} hint={hint} error={error} optional>
      <input id={id} name={name} type="file" accept={accept} autofocus={error !== undefined} {...describedBy(id, hint, error)} />
    </Labelled>
  );
}

export interface Option {
  readonly value: string;
  readonly text: string;
}

interface SelectFieldProps extends LabelledProps {
  readonly options: readonly Option[];
  readonly value?: string;
}

export function SelectField({ name, label, id = name, hint, error, options, value }: SelectFieldProps) {
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <select id={id} name={name} autofocus={error !== undefined} {...describedBy(id, hint, error)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </Labelled>
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

type About = Pick<LabelledProps, "hint" | "error">;

interface FrameProps extends About {
  readonly id: string;
  readonly label: string;
  readonly optional?: boolean;
  /** The control. */
  readonly children: ComponentChildren;
}

/** Control with its label, hint and error. */
function Labelled({ id, label, hint, error, optional = false, children }: FrameProps) {
  const i18n = useI18n();
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && <span class="muted small"> ({i18n.t("components.optional")})</span>}
      </label>
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
      {children}
    </div>
  );
}

function describedBy(id: string, hint: About["hint"], error: About["error"]) {
  const ids = [error === undefined ? "" : `${id}-error`, hint === undefined ? "" : `${id}-hint`].filter((part) => part !== "");
  return {
    ...(ids.length === 0 ? {} : { "aria-describedby": ids.join(" ") }),
    ...(error === undefined ? {} : { "aria-invalid": "true" as const }),
  };
}
