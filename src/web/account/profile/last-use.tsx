/** When something was last used, as far as that is noted: by the hour. */
import { Instant } from "../../components/instant.tsx";

interface LastUseProps {
  readonly createdAt: string;
  /** The hour in which it was last used; it may have begun before the thing itself did. */
  readonly hour: string;
}

export function LastUse({ createdAt, hour }: LastUseProps) {
  return <Instant at={hour < createdAt ? createdAt : hour} relative={false} />;
}
