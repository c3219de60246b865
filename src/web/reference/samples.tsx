/** Sample values for placeholders of finding texts: example hosts, or a description of the value. */
import { suggestedExpiry } from "../../parse/security-txt-places.ts";
import { useVisit } from "../context.ts";

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

export function TextWithSamples({ text }: { readonly text: string }) {
  const { i18n, settings, now } = useVisit();
  // Odd pieces are placeholder names, since the pattern has one group.
  return text.split(placeholder).map((piece, at) => (at % 2 === 0 ? piece : <var key={at}>{sampleOf(piece)}</var>));

  function sampleOf(name: string): string {
    if (name === "expires") return suggestedExpiry(now.toISOString());
    return settings.texts.say(i18n.locale, ["pages", "check", "samples", name]) ?? i18n.t("check.sample", { name });
  }
}
