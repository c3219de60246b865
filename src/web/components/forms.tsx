/**
 * Forms with fields that are described once as data: shown with values and errors, and read from the submitted form.
 * A description is an object by name of the field, in the order of the page, that `satisfies FormDescription`.
 */
import type { ComponentChildren } from "preact";
import { plainUntrustedText } from "../../report/components/untrusted-text.tsx";
import type { TextPath } from "../../text/translator.ts";
import { useVisit } from "../context.ts";
import { formMalformed } from "../errors.ts";
import { type Fields, Form } from "../form.tsx";
import type { SharedVisit } from "../visit.ts";
import { CheckField, Field, type FieldProps, FileField, type Option, SelectField, TextAreaField } from "./field.tsx";

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

type InputAttribute =
  | "autocomplete"
  | "autofocus"
  | "inputMode"
  | "maxLength"
  | "minLength"
  | "placeholder"
  | "readOnly"
  | "required"
  | "verbatim";

interface InputDescription extends Described, Pick<FieldProps, InputAttribute> {
  /** Default: `text`. The value of a password is never shown again. */
  readonly control?: NonNullable<FieldProps["type"]>;
  readonly suggestions?: Suggestions;
  /** True if white space at the ends of the value is dropped when it is read. */
  readonly trimmed?: boolean;
}

interface TextAreaDescription extends Described {
  readonly control: "textarea";
  readonly rows: number;
  readonly maxLength?: number;
  readonly required?: boolean;
}

interface SelectDescription extends Described {
  readonly control: "select";
  /** Null leaves the field out, as there is nothing to choose. */
  readonly options: readonly Option[] | ((visit: SharedVisit, chosen: string, error: string | undefined) => readonly Option[] | null);
  /** All values of a closed list; other submitted values are refused. */
  readonly values?: readonly string[];
}

interface FileDescription extends Omit<Described, "initial"> {
  readonly control: "file";
  readonly accept: string;
}

/** Checkbox; its value is `yes`. */
interface CheckDescription extends Pick<Described, "label"> {
  readonly control: "check";
}

type FieldDescription = InputDescription | TextAreaDescription | SelectDescription | FileDescription | CheckDescription;
export type FormDescription = Readonly<Record<string, FieldDescription>>;

type ValueOf<D> = D extends { readonly values: readonly (infer V)[] } ? V : D extends { readonly control: "check" } ? boolean : string;
export type FormValues<F extends FormDescription> = { readonly [N in keyof F]: ValueOf<F[N]> };

/** Select with the values of a closed list. */
export function choiceOf<V extends string>(
  values: readonly V[],
  wording: (value: V) => TextPath,
  described: Described & { readonly initial?: NoInfer<V> },
): SelectDescription & { readonly values: readonly NoInfer<V>[] } {
  return {
    ...described,
    control: "select",
    values,
    options: ({ i18n }) => values.map((value) => ({ value, text: i18n.t(wording(value)) })),
  };
}

/** Values of the submitted fields. @throws PageError 400 for a value that the form does not offer. */
export function readFields<F extends FormDescription>(form: F, submitted: Pick<Fields, "text">): FormValues<F> {
  const read = Object.entries(form).map(([name, field]) => [name, submittedValue(field, submitted.text(name))]);
  return Object.fromEntries(read) as FormValues<F>;
}

function submittedValue(field: FieldDescription, text: string): string | boolean {
  if (field.control === "check") return text === "yes";
  if (field.control === "select" && field.values?.includes(text) === false) throw formMalformed();
  return "trimmed" in field && field.trimmed === true ? text.trim() : text;
}

/** Values of an untouched form. */
export function initialValues<F extends FormDescription>(form: F): FormValues<F> {
  const values = Object.entries(form).map(([name, field]) => [name, field.control === "check" ? false : (initialOf(field) ?? "")]);
  return Object.fromEntries(values) as FormValues<F>;
}

function initialOf(field: FieldDescription): string | undefined {
  return "initial" in field ? field.initial : undefined;
}

/** What only the page knows of a field. */
type FieldOnPage = Partial<
  Pick<Described, "hint"> & Pick<SelectDescription, "options"> & Pick<InputDescription, "autofocus" | "readOnly" | "suggestions">
>;

interface FormFieldsProps<F extends FormDescription> {
  readonly form: F;
  /** Fields without a value have their initial one. */
  readonly values?: { readonly [N in keyof F]?: string | boolean | undefined } | null | undefined;
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
  readonly value: string | boolean | undefined;
  readonly error: string | undefined;
}

function FormField({ name, field, value, error }: FormFieldProps) {
  const visit = useVisit();
  const label = textOf(visit, field.label);
  if (field.control === "check") return <CheckField name={name} value="yes" label={label} checked={value === true} />;
  const about = {
    name,
    label,
    error,
    ...(field.id === undefined ? {} : { id: field.id }),
    ...(field.hint === undefined ? {} : { hint: textOf(visit, field.hint) }),
  };
  const shown = typeof value === "string" ? { value } : {};
  if (field.control === "file") return <FileField {...about} accept={field.accept} />;
  if (field.control === "select") {
    const options = typeof field.options === "function" ? field.options(visit, shown.value ?? "", error) : field.options;
    return options === null ? null : <SelectField {...about} {...shown} options={options} />;
  }
  if (field.control === "textarea") {
    const { control: _control, initial: _initial, ...attributes } = field;
    return <TextAreaField {...attributes} {...about} {...shown} />;
  }
  const { control: type = "text", initial: _initial, trimmed: _trimmed, suggestions, ...attributes } = field;
  const suggested = suggestions === undefined || suggestions.values.length === 0 ? null : suggestions;
  return (
    <>
      <Field type={type} {...(type === "password" ? {} : shown)} {...attributes} {...(suggested && { list: suggested.id })} {...about} />
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
