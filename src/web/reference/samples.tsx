/** Stands in for the values that a finding's texts quote, where there is no finding: names of example hosts, and else a word for what stands there. */
import { suggestedExpiry } from "../../parse/security-txt-places.ts";
import { useVisit } from "../context.ts";

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** A text of a finding with samples for its values. */
export function WithSamples({ text }: { readonly text: string }) {
  const { i18n, settings, now } = useVisit();
  // Every second piece is a name, since the pattern holds one group.
  return text.split(placeholder).map((piece, at) => (at % 2 === 0 ? piece : <var key={at}>{sampleOf(piece)}</var>));

  function sampleOf(name: string): string {
    if (name === "expires") return suggestedExpiry(now.toISOString());
    return settings.texts.say(i18n.locale, ["pages", "check", "samples", name]) ?? i18n.t("check.sample", { name });
  }
}
