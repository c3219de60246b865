/** Typed fields of a channel, and what is wrong with them. */
import type { ChannelNameFault, ChannelTargetFault } from "../../../deliver/channel-fields.ts";
import type { ChannelKind } from "../../../store/channels.ts";

export interface TypedChannel {
  readonly kind: ChannelKind;
  readonly target: string;
  readonly name: string;
  readonly reportAll: boolean;
  readonly fault:
    | { readonly at: "target"; readonly because: ChannelTargetFault | "full" }
    | { readonly at: "name"; readonly because: ChannelNameFault };
}
