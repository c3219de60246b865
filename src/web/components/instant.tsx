/** An instant: absolute with its time zone, and how long ago that was. */
import { useWords } from "../context.ts";

interface InstantProps {
  /** ISO 8601. */
  readonly at: string;
  /** The day only. */
  readonly day?: boolean;
  /** Whether to tell how long ago, or in how long. */
  readonly relative?: boolean;
}

export function Instant({ at, day = false, relative = true }: InstantProps) {
  const words = useWords();
  return (
    <span>
      <time dateTime={at}>{day ? words.day(at) : words.moment(at)}</time>
      {relative && (
        <>
          {" "}
          <span class="ago muted">{words.ago(at)}</span>
        </>
      )}
    </span>
  );
}
