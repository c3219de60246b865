/** Text from sites or visitors: escaped, untranslated, and isolated so that it cannot reorder or hide text around it. */
import { piecesOf } from "../../text/display.ts";
import { useI18n } from "../context.ts";

/**
 * Invisible and bidi characters: controls, format, private use, separators, lone surrogates, Default_Ignorable_Code_Point (Unicode), blank
 * Braille pattern. Also long runs of combining marks.
 */
const invisibleCharacters = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|\p{M}{9,}`;
/** Exempt within an emoji (UTS 51): the variation selector after it and the joiner between two. */
const emojiJoiners = String.raw`(?<=\p{Emoji})\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`;

const unseen = new RegExp(`((?!${emojiJoiners})(?:${invisibleCharacters}))`, "u");
const invisible = new RegExp(unseen, "gu");
/** Line breaks and tabs are allowed in multi-line text. */
const invisibleInLines = new RegExp(`((?![\\n\\t]|${emojiJoiners})(?:${invisibleCharacters}))`, "u");

interface UntrustedProps {
  readonly children: string;
  /** Characters beyond this are counted, not shown. */
  readonly charsMax?: number;
}

/** HTML expects "yes" or "no"; the JSX types accept a boolean, and the renderer omits false. */
export const untranslated: object = { translate: "no" };

/** Single-line text. */
export function UntrustedText({ children, charsMax = Number.POSITIVE_INFINITY }: UntrustedProps) {
  return (
    <>
      <bdi class="foreign" dir="ltr" lang="" {...untranslated}>
        {withCodePoints(children.slice(0, charsMax), unseen)}
      </bdi>
      {children.length > charsMax && <More chars={children.length - charsMax} />}
    </>
  );
}

/** Multi-line text: a file or a long value. */
export function UntrustedLines({ children, charsMax = Number.POSITIVE_INFINITY }: UntrustedProps) {
  const text = children.slice(0, charsMax).replaceAll("\r\n", "\n");
  return (
    <>
      <pre class="foreign" dir="ltr" lang="" {...untranslated}>
        {withCodePoints(text, invisibleInLines)}
      </pre>
      {children.length > charsMax && <More chars={children.length - charsMax} />}
    </>
  );
}

/** Own sentence with quoted values, which `quoted` has marked. */
export function Sentence({ text }: { readonly text: string }) {
  return (
    <>
      {piecesOf(text).map((piece) => {
        if (!piece.quoted) return piece.text;
        return piece.text.trim() === "" ? <Nothing /> : <UntrustedText>{piece.text}</UntrustedText>;
      })}
    </>
  );
}

/** Placeholder for a value without visible text: empty quotation marks look like a defect, and a link needs a text. */
function Nothing() {
  return <span class="muted">{useI18n().t("foreign.empty")}</span>;
}

/** Plain text for titles and alternative texts, which cannot contain elements. */
export function plainUntrustedText(text: string): string {
  return text.replace(invisible, nameOf);
}

/** Same for multi-line text. */
export function plainUntrustedLines(text: string): string {
  return text.split("\n").map(plainUntrustedText).join("\n");
}

function withCodePoints(text: string, signs: RegExp) {
  // Fast path: nearly every text is a single piece.
  if (!signs.test(text)) return text;
  return text.split(signs).map((piece, at) => (at % 2 === 1 ? <span class="sign">{nameOf(piece)}</span> : piece));
}

/** `U+202E`, for the first of several characters. */
function nameOf(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function More({ chars }: { readonly chars: number }) {
  const i18n = useI18n();
  return <span class="muted"> {i18n.count("foreign.more", chars)}</span>;
}
