/** Submit button of a form, and the form of a button alone. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../../report/context.ts";
import type { TextPath } from "../../text/translator.ts";
import { Form, type FormProps } from "../form.tsx";

export interface SubmitButtonProps {
  /** `primary`: main action of the page; `danger`: irreversible; `plain`: any other. */
  readonly kind?: "primary" | "danger" | "plain";
  /** Smaller, for table rows. */
  readonly compact?: boolean;
  /** Sent with the form. */
  readonly name?: string;
  readonly value?: string;
  /** Accessible name where several buttons of a page have the same text. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function SubmitButton({ kind = "primary", compact = false, label, children, ...rest }: SubmitButtonProps) {
  return (
    <button type="submit" class={compact ? `${kind} compact` : kind} {...(label === undefined ? {} : { "aria-label": label })} {...rest}>
      {children}
    </button>
  );
}

interface ButtonFormProps extends Pick<FormProps, "action" | "hidden">, Omit<SubmitButtonProps, "name" | "value" | "children"> {
  readonly submit: TextPath;
}

/** Form without visible fields. */
export function ButtonForm({ action, hidden = {}, submit, ...button }: ButtonFormProps) {
  const i18n = useI18n();
  return (
    <Form action={action} hidden={hidden}>
      <SubmitButton {...button}>{i18n.t(submit)}</SubmitButton>
    </Form>
  );
}
