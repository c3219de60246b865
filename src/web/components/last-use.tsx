/** Time of last use. */
import { Instant } from "../../report/components/labels.tsx";

interface LastUseProps {
  readonly createdAt: string;
  /** Hour of last use; may start before the creation time. */
  readonly hour: string;
}

export function LastUse({ createdAt, hour }: LastUseProps) {
  return <Instant at={hour < createdAt ? createdAt : hour} relative={false} />;
}
