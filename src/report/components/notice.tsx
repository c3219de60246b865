/** Highlighted messages and their icons. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../context.ts";

/** `now`: stage in progress; `next`: later stage. */
type IconName = "tick" | "warning" | "stop" | "info" | "now" | "next";

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round">
      {shapes[name]}
    </svg>
  );
}

/** `cut`: drawn in the page colour over the filled shape. */
const shapes = {
  tick: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="m4.75 8.25 2.25 2.25 4.25-4.75" class="cut" stroke-linejoin="round" />
    </>
  ),
  warning: (
    <>
      <path d="M8 2 14.75 14H1.25z" fill="currentColor" stroke-linejoin="round" />
      <path d="M8 6.5v3.25M8 12v.01" class="cut" />
    </>
  ),
  stop: (
    <>
      <path d="M5 1h6l4 4v6l-4 4H5l-4-4V5z" fill="currentColor" stroke-linejoin="round" />
      <path d="M8 4.25v4.5M8 11.5v.01" class="cut" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="7" />
      <path d="M8 7.5v4M8 4.5v.01" />
    </>
  ),
  now: (
    <>
      <circle cx="8" cy="8" r="6.5" stroke="var(--hairline)" />
      <path d="M8 1.5A6.5 6.5 0 0 1 14.5 8" class="turning" />
    </>
  ),
  next: <circle cx="8" cy="8" r="2" />,
} as const;

type NoticeKind = "info" | "good" | "warn" | "poor";

interface NoticeProps {
  /** `warn`: attention needed; `poor`: error. */
  readonly kind?: NoticeKind;
  readonly title?: string;
  /** Announced at once by screen readers: for results of a form. */
  readonly alert?: boolean;
  /** One paragraph. */
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
}

const icons = { info: "info", good: "tick", warn: "warning", poor: "stop" } as const satisfies Record<NoticeKind, IconName>;

export function Notice({ kind = "info", title, alert = false, text, children }: NoticeProps) {
  const i18n = useI18n();
  return (
    <div class={`notice ${kind}`} {...(alert ? { role: "alert" } : {})}>
      <Icon name={icons[kind]} />
      <div>
        <span class="unseen">{i18n.t(`components.notices.${kind}`)}: </span>
        {title !== undefined && <p class="notice-title">{title}</p>}
        {text !== undefined && <p>{text}</p>}
        {children}
      </div>
    </div>
  );
}
