/** Fields of forms: a label, a hint, an error that belongs to the field, and what was typed. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../context.ts";
import { Icon } from "./icon.tsx";

interface Labelled {
  readonly name: string;
  readonly label: string;
  /** The same as the name when left out: give one where two forms of a page have a field of the same name. */
  readonly id?: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with what was typed; the first field with an error gets the focus. */
  readonly error?: string | undefined;
}

interface FieldProps extends Labelled {
  readonly type?: "text" | "email" | "password" | "url" | "search";
  readonly value?: string;
  /** As HTML has them: `username`, `current-password`, `new-password`, `one-time-code` ... */
  readonly autocomplete?: string;
  readonly inputMode?: "text" | "url" | "numeric" | "email";
  /** Fields are required unless told otherwise, and say so when they are not. */
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly autofocus?: boolean;
  readonly placeholder?: string;
  readonly readOnly?: boolean;
  /** For codes, addresses and names of machines: no spelling, no capitals. */
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
      // Its types know inputs only one type at a time.
      type={type as "text"}
      required={required}
      autofocus={autofocus === true || error !== undefined}
      {...(verbatim ? { spellcheck: false } : {})}
      // Addresses and passwords are never capitalised, so HTML has no such attribute for them.
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

interface SelectFieldProps extends Labelled {
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly value?: string;
}

export function SelectField({ name, label, id = name, hint, error, options, value }: SelectFieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <HintAndError id={id} hint={hint} error={error} />
      <select id={id} name={name} {...describedBy(id, hint, error)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
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
