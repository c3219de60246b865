/** Typed fields of a channel, and what is wrong with them. */
import type { ChannelFieldFault } from "../../../deliver/channel-operations.ts";
import type { ChannelKind } from "../../../store/channels.ts";

export interface TypedChannel {
  readonly kind: ChannelKind;
  readonly target: string;
  readonly name: string;
  readonly reportAll: boolean;
  readonly fault: ChannelFieldFault | { readonly at: "target"; readonly because: "full" };
}
