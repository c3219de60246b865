/**
 * Forms with fields that are described once as data: shown with values and errors, and read from the submitted form.
 * A description is an object by name of the field, in the order of the page, that `satisfies FormDescription`.
 */
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "../../report/components/notice.tsx";
import { plainUntrustedText } from "../../report/components/untrusted-text.tsx";
import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";
import { formMalformed } from "../errors.ts";
import { type Fields, Form } from "../form.tsx";
import type { SharedVisit } from "../visit.ts";

/** Key of a text in the locales, or a function for a text with values or with markup. */
export type PageText<T extends ComponentChildren = string> = TextPath | ((visit: SharedVisit) => T);

export function textOf<T extends ComponentChildren>(visit: SharedVisit, text: PageText<T>): T | string {
  return typeof text === "function" ? text(visit) : visit.i18n.t(text);
}

/** Suggestions for an input. */
interface Suggestions {
  /** Id of the `datalist`. */
  readonly id: string;
  readonly values: readonly string[];
}

interface Described {
  readonly label: PageText;
  readonly hint?: PageText<ComponentChildren>;
  /** Default: the name. Needed if two forms of a page have fields of the same name. */
  readonly id?: string;
  /** Value of an untouched form. */
  readonly initial?: string;
}

interface InputDescription extends Described {
  /** Default: `text`. The value of a password is never shown again. */
  readonly control?: "text" | "email" | "password" | "url" | "search";
  /** HTML autofill token, as in `current-password`. */
  readonly autocomplete?: string;
  readonly inputMode?: "url";
  /** Default true; optional fields are labelled as such. */
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly autofocus?: boolean;
  readonly readOnly?: boolean;
  /** Disables spell checking and capitalization, for codes, addresses and host names. */
  readonly verbatim?: boolean;
  readonly suggestions?: Suggestions;
  /** True if white space at the ends of the value is dropped when it is read. */
  readonly trimmed?: boolean;
}

/** For addresses and tables, so without spell checking and capitalization. */
interface TextAreaDescription extends Described {
  readonly control: "textarea";
  readonly rows: number;
  readonly maxLength?: number;
  /** Default true; optional fields are labelled as such. */
  readonly required?: boolean;
}

export interface Option {
  readonly value: string;
  readonly text: string;
}

interface SelectDescription extends Described {
  readonly control: "select";
  /** Null leaves the field out, as there is nothing to choose. */
  readonly options: readonly Option[] | ((visit: SharedVisit, chosen: string, error: string | undefined) => readonly Option[] | null);
  /** All values of a closed list; other submitted values are refused. */
  readonly values?: readonly string[];
}

/** Always optional: a form that is shown again cannot keep the chosen file. */
interface FileDescription extends Omit<Described, "initial"> {
  readonly control: "file";
  /** Media types that the browser offers; the server decides by the content. */
  readonly accept: string;
}

/** Checkbox; its value is `yes`. */
interface CheckDescription extends Pick<Described, "label"> {
  readonly control: "check";
}

/** Checkboxes of one name, at whose end HTML wants brackets. The value is the list of those that are ticked. */
interface ChecksDescription extends Pick<Described, "label"> {
  readonly control: "checks";
  readonly options: (visit: SharedVisit) => readonly { readonly value: string; readonly text: ComponentChildren }[];
  /** All values of a closed list; other submitted values are ignored. */
  readonly values?: readonly string[];
}

type LabelledDescription = InputDescription | TextAreaDescription | SelectDescription | FileDescription;
type FieldDescription = LabelledDescription | CheckDescription | ChecksDescription;
export type FormDescription = Readonly<Record<string, FieldDescription>>;

type TextOf<D> = D extends { readonly values: readonly (infer V)[] } ? V : string;
type ValueOf<D> = D extends { readonly control: "check" }
  ? boolean
  : D extends { readonly control: "checks" }
    ? readonly TextOf<D>[]
    : TextOf<D>;
export type FormValues<F extends FormDescription> = { readonly [N in keyof F]: ValueOf<F[N]> };
type FieldValue = string | boolean | readonly string[];

/** Select with the values of a closed list. */
export function choiceOf<V extends string>(
  values: readonly V[],
  wording: (value: V) => PageText,
  described: Described & { readonly initial?: NoInfer<V> },
): SelectDescription & { readonly values: readonly NoInfer<V>[] } {
  return {
    ...described,
    control: "select",
    values,
    options: (visit) => values.map((value) => ({ value, text: textOf(visit, wording(value)) })),
  };
}

/** Values of the submitted fields. @throws PageError 400 for a value that the form does not offer. */
export function readFields<F extends FormDescription>(form: F, submitted: Fields): FormValues<F> {
  const read = Object.entries(form).map(([name, field]) => [name, submittedValue(name, field, submitted)]);
  return Object.fromEntries(read) as FormValues<F>;
}

function submittedValue(name: string, field: FieldDescription, submitted: Fields): FieldValue {
  if (field.control === "checks") {
    const ticked = submitted.all(name);
    return field.values?.filter((value) => ticked.includes(value)) ?? ticked;
  }
  const text = submitted.text(name);
  if (field.control === "check") return text === "yes";
  if (field.control === "select" && field.values?.includes(text) === false) throw formMalformed();
  return "trimmed" in field && field.trimmed === true ? text.trim() : text;
}

/** Values of an untouched form. */
export function initialValues<F extends FormDescription>(form: F): FormValues<F> {
  return Object.fromEntries(Object.entries(form).map(([name, field]) => [name, initialOf(field)])) as FormValues<F>;
}

function initialOf(field: FieldDescription): FieldValue {
  if (field.control === "check") return false;
  if (field.control === "checks") return [];
  return "initial" in field ? (field.initial ?? "") : "";
}

/** What only the page knows of a field. */
type FieldOnPage = Partial<Pick<SelectDescription | ChecksDescription, "options"> & Pick<InputDescription, "suggestions">>;

interface FormFieldsProps<F extends FormDescription> {
  readonly form: F;
  /** Fields without a value have their initial one. */
  readonly values?: { readonly [N in keyof F]?: FieldValue | undefined } | null | undefined;
  /** Error texts by name of the field. */
  readonly errors?: ReadonlyMap<string, string> | null | undefined;
  readonly onPage?: { readonly [N in keyof F]?: FieldOnPage };
}

/** All fields of a form, without its buttons. */
export function FormFields<F extends FormDescription>({ form, values, errors, onPage = {} }: FormFieldsProps<F>) {
  return (
    <>
      {Object.entries(form).map(([name, field]) => (
        <FormField
          key={name}
          name={name}
          field={{ ...field, ...onPage[name] } as FieldDescription}
          value={values?.[name] ?? initialOf(field)}
          error={errors?.get(name)}
        />
      ))}
    </>
  );
}

interface FormFieldProps {
  readonly name: string;
  readonly field: FieldDescription;
  readonly value: FieldValue;
  /** Error text; the first field with an error gets the focus. */
  readonly error: string | undefined;
}

function FormField({ name, field, value, error }: FormFieldProps) {
  const visit = useVisit();
  const label = textOf(visit, field.label);
  if (field.control === "check") return <Check name={name} value="yes" text={label} checked={value === true} />;
  if (field.control === "checks")
    return (
      <fieldset>
        <legend>{label}</legend>
        {field.options(visit).map((option) => (
          <Check key={option.value} name={name} {...option} checked={Array.isArray(value) && value.includes(option.value)} />
        ))}
      </fieldset>
    );
  const { id = name, hint } = field;
  const text = String(value);
  const options = field.control === "select" ? optionsOf(visit, field, text, error) : [];
  if (options === null) return null;
  const descriptions = [error === undefined ? "" : `${id}-error`, hint === undefined ? "" : `${id}-hint`].filter((part) => part !== "");
  const attributes: ControlAttributes = {
    id,
    name,
    autofocus: error !== undefined || ("autofocus" in field && field.autofocus === true),
    ...(descriptions.length > 0 && { "aria-describedby": descriptions.join(" ") }),
    ...(error !== undefined && { "aria-invalid": "true" }),
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional(field) && <span class="muted small"> ({visit.i18n.t("components.optional")})</span>}
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {textOf(visit, hint)}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          <Icon name="warning" />
          {error}
        </p>
      )}
      <Control field={field} text={text} options={options} attributes={attributes} />
    </div>
  );
}

function optionsOf(visit: SharedVisit, { options }: SelectDescription, chosen: string, error: string | undefined) {
  return typeof options === "function" ? options(visit, chosen, error) : options;
}

function isOptional(field: LabelledDescription): boolean {
  return field.control === "file" || ("required" in field && field.required === false && field.control !== "search");
}

type ControlAttributes = Pick<JSX.IntrinsicElements["input"], "id" | "name" | "autofocus" | "aria-describedby" | "aria-invalid">;

interface ControlProps {
  readonly field: LabelledDescription;
  readonly text: string;
  /** Choices of a select; empty for any other control. */
  readonly options: readonly Option[];
  readonly attributes: ControlAttributes;
}

function Control({ field, text, options, attributes }: ControlProps) {
  switch (field.control) {
    case "file":
      return <input {...attributes} type="file" accept={field.accept} />;
    case "select":
      return (
        <select {...attributes}>
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === text}>
              {option.text}
            </option>
          ))}
        </select>
      );
    case "textarea": {
      const { required = true, rows, maxLength } = field;
      return (
        <textarea {...attributes} required={required} rows={rows} maxLength={maxLength} spellcheck={false} autocapitalize="none">
          {text}
        </textarea>
      );
    }
    default:
      return <Input field={field} text={text} attributes={attributes} />;
  }
}

function Input({ field, text, attributes }: Pick<ControlProps, "text" | "attributes"> & { readonly field: InputDescription }) {
  const { i18n } = useVisit();
  const { control: type = "text", required = true, verbatim, autocomplete, inputMode, maxLength, readOnly, suggestions } = field;
  const suggested = suggestions === undefined || suggestions.values.length === 0 ? null : suggestions;
  return (
    <>
      <input
        {...attributes}
        // The JSX types accept only one literal input type at a time.
        type={type as "text"}
        required={required}
        {...(verbatim && { spellcheck: false })}
        // HTML defines no `autocapitalize` for mail addresses and passwords.
        {...(verbatim && type === "text" && { autocapitalize: "none" })}
        {...(type !== "password" && { value: text })}
        {...{ autocomplete, inputMode, maxLength, readOnly, list: suggested?.id }}
      />
      {type === "password" && (
        <button type="button" class="reveal" data-reveal={`#${attributes.id}`} aria-pressed="false" aria-controls={attributes.id} hidden>
          {i18n.t("components.showPassword")}
        </button>
      )}
      {suggested && (
        <datalist id={suggested.id}>
          {suggested.values.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </>
  );
}

interface CheckProps {
  readonly name: string;
  readonly value: string;
  readonly text: ComponentChildren;
  readonly checked: boolean;
}

/** Checkbox with its label beside it. */
function Check({ text, ...input }: CheckProps) {
  return (
    <label class="choice">
      <input type="checkbox" {...input} />
      <span>{text}</span>
    </label>
  );
}

interface SubmitButtonProps {
  /** `primary`: main action of the page; `danger`: irreversible; `plain`: any other. */
  readonly kind?: "primary" | "danger" | "plain";
  /** Smaller, for table rows. */
  readonly compact?: boolean;
  /** Sent with the form. */
  readonly name?: string;
  readonly value?: string;
  /** Accessible name where several buttons of a page have the same text. */
  readonly label?: string;
  readonly text: PageText;
}

export function SubmitButton({ kind = "primary", compact = false, label, text, ...rest }: SubmitButtonProps) {
  return (
    <button type="submit" class={compact ? `${kind} compact` : kind} {...(label === undefined ? {} : { "aria-label": label })} {...rest}>
      {textOf(useVisit(), text)}
    </button>
  );
}

export interface ActionFormProps extends Omit<SubmitButtonProps, "name" | "value" | "text"> {
  readonly action: string;
  readonly class?: string;
  readonly id?: string;
  /** Hidden fields by name. `do` names the operation. */
  readonly hidden?: Readonly<Record<string, string | number>>;
  /** Text of the button. */
  readonly submit: PageText;
  /** Path of the link beside the button that leaves the form. */
  readonly cancel?: string | undefined;
  /** Shown before the button. */
  readonly children?: ComponentChildren;
}

/** POST form with hidden fields and one button. */
export function ActionForm({ action, class: className, id, hidden = {}, submit, cancel, children, ...button }: ActionFormProps) {
  const submitButton = <SubmitButton {...button} text={submit} />;
  return (
    <Form action={action} {...(className !== undefined && { class: className })} {...(id !== undefined && { id })}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      {cancel === undefined ? (
        submitButton
      ) : (
        <p class="actions">
          {submitButton}
          <CancelLink href={cancel} />
        </p>
      )}
    </Form>
  );
}

type ButtonOf<Path> = Path extends `${infer Button}Of` ? Button : never;
/** Path of a button, where the path with `Of` behind it is a text that also names the row. */
type RowActionPath = Extract<TextPath, ButtonOf<TextPath>>;

interface RowActionProps extends Pick<ActionFormProps, "action" | "hidden" | "children"> {
  readonly kind: "danger" | "plain";
  readonly submit: RowActionPath;
  /** Values of the accessible name, since the button of every row has the same text. They may be untrusted. */
  readonly of: Readonly<Record<string, string>>;
}

/** Form with one small button in a row of a table. */
export function RowAction({ of, ...form }: RowActionProps) {
  const values = Object.fromEntries(Object.entries(of).map(([name, text]) => [name, plainUntrustedText(text)]));
  return <ActionForm {...form} compact label={useVisit().i18n.t(`${form.submit}Of`, values)} />;
}

/** Leaves a form without sending it. */
export function CancelLink({ href }: { readonly href: string }) {
  return <LinkButton href={href} text="sites.deletion.cancel" />;
}

interface LinkButtonProps {
  readonly href: string;
  readonly text: PageText;
  /** Main action of the page. */
  readonly primary?: boolean;
  /** The link leads to a file. */
  readonly download?: boolean;
}

/** Link that looks like a button. */
export function LinkButton({ href, text, primary = false, ...rest }: LinkButtonProps) {
  return (
    <a class={primary ? "button primary" : "button"} href={href} {...rest}>
      {textOf(useVisit(), text)}
    </a>
  );
}

/** `name`: of the row, for readers who hear the link alone. */
export function EditLink({ href, name }: { readonly href: string; readonly name: string }) {
  const { i18n } = useVisit();
  const action = i18n.t("channels.actions.edit");
  return (
    <a class="button compact" href={href} aria-label={i18n.t("channels.actions.of", { action, name })}>
      {action}
    </a>
  );
}

interface SearchFormProps extends Pick<ActionFormProps, "action" | "submit"> {
  readonly children: ComponentChildren;
}

/** GET form that filters a list. */
export function SearchForm({ action, submit, children }: SearchFormProps) {
  return (
    <search>
      <form method="get" action={action} class="inline">
        {children}
        <SubmitButton kind="plain" text={submit} />
      </form>
    </search>
  );
}
