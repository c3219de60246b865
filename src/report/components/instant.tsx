/** Absolute time with time zone, and relative time. */
import { useDocument } from "../context.ts";

interface InstantProps {
  /** ISO 8601. */
  readonly at: string;
  /** Shows only the date. */
  readonly day?: boolean;
  /** Adds the relative time, on a page. */
  readonly relative?: boolean;
}

export function Instant({ at, day = false, relative = true }: InstantProps) {
  const { i18n, live } = useDocument();
  const time = <time dateTime={at}>{day ? i18n.date(at) : i18n.dateTime(at)}</time>;
  if (!relative || !live) return time;
  return (
    <span>
      {time} <span class="ago muted">{i18n.relativeTime(at)}</span>
    </span>
  );
}
