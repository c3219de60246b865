/** Absolute time in UTC, and on a page the relative time. */
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
      {time} <Ago at={at} />
    </span>
  );
}

/** Relative time, filled in by the script: the HTML itself may be cached. */
export function Ago({ at }: Pick<InstantProps, "at">) {
  return <span class="ago muted" data-ago={at} />;
}
