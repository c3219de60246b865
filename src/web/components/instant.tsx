/** Absolute time with time zone, and relative time. */
import { useI18n } from "../context.ts";

interface InstantProps {
  /** ISO 8601. */
  readonly at: string;
  /** Shows only the date. */
  readonly day?: boolean;
  /** Adds the relative time. */
  readonly relative?: boolean;
}

export function Instant({ at, day = false, relative = true }: InstantProps) {
  const i18n = useI18n();
  const time = <time dateTime={at}>{day ? i18n.date(at) : i18n.dateTime(at)}</time>;
  if (!relative) return time;
  return (
    <span>
      {time} <span class="ago muted">{i18n.relativeTime(at)}</span>
    </span>
  );
}

interface LastUseProps {
  readonly createdAt: string;
  /** Hour of last use; may start before the creation time. */
  readonly hour: string;
}

export function LastUse({ createdAt, hour }: LastUseProps) {
  return <Instant at={hour < createdAt ? createdAt : hour} relative={false} />;
}
