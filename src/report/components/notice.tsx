/** Highlighted message: information, warning or result of an action. */
import type { ComponentChildren } from "preact";
import { useI18n } from "../context.ts";
import { Icon, type IconName } from "./icon.tsx";

export type NoticeKind = "info" | "good" | "warn" | "poor";

interface NoticeProps {
  /** `warn`: attention needed; `poor`: error. */
  readonly kind?: NoticeKind;
  readonly title?: string;
  /** Announced at once by screen readers: for results of a form. */
  readonly alert?: boolean;
  readonly children: ComponentChildren;
}

const icons = { info: "info", good: "tick", warn: "warning", poor: "stop" } as const satisfies Record<NoticeKind, IconName>;

export function Notice({ kind = "info", title, alert = false, children }: NoticeProps) {
  const i18n = useI18n();
  return (
    <div class={`notice ${kind}`} {...(alert ? { role: "alert" } : {})}>
      <Icon name={icons[kind]} />
      <div>
        <span class="unseen">{i18n.t(`components.notices.${kind}`)}: </span>
        {title !== undefined && <p class="notice-title">{title}</p>}
        {children}
      </div>
    </div>
  );
}
