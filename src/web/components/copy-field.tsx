/** Read-only value with a copy button. */
import type { ComponentChildren } from "preact";
import { untranslated } from "../../report/components/untrusted-text.tsx";
import { useI18n } from "../../report/context.ts";
import type { TextPath } from "../../text/translator.ts";

interface CopyFieldProps {
  readonly id: string;
  readonly label: ComponentChildren;
  readonly value: string;
  /** Button text before and after copying. */
  readonly copy: string;
  readonly copied: string;
}

export function CopyField({ id, label, value, copy, copied }: CopyFieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="with-button">
        <input id={id} type="text" readOnly value={value} {...untranslated} />
        <button type="button" class="primary" data-copy={`#${id}`} data-copied={copied} hidden>
          {copy}
        </button>
      </div>
    </div>
  );
}

interface SecretOnceProps extends Pick<CopyFieldProps, "id" | "label" | "value"> {
  /** Warning above the field. */
  readonly notice: ComponentChildren;
  readonly copy: TextPath;
  readonly copied: TextPath;
  /** Link to the page that follows. */
  readonly back: readonly [href: string, text: TextPath];
  readonly children?: ComponentChildren;
}

/** Secret that is shown once. Its page is a direct response to a form: it has no URL to link or reload. */
export function SecretOnce({ notice, copy, copied, back: [href, text], children, ...field }: SecretOnceProps) {
  const i18n = useI18n();
  return (
    <>
      {notice}
      <CopyField {...field} copy={i18n.t(copy)} copied={i18n.t(copied)} />
      {children}
      <p>
        <a href={href}>{i18n.t(text)}</a>
      </p>
    </>
  );
}
