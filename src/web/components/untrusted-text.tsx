/** What a site or a visitor wrote, shown as it is: escaped, untranslated, and unable to turn, hide or move what stands around it. */
import { piecesOf } from "../../text/quotation.ts";
import { useI18n } from "../context.ts";

/**
 * Signs that show nothing or steer the writing: controls, format and private use characters, line and paragraph separators, halves of
 * pairs, whatever fonts may leave out (Unicode's Default_Ignorable_Code_Point), and the blank of Braille. Then heaps of marks on one letter.
 */
const steering = String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|\p{M}{9,}`;
/** What holds an emoji together is part of it (UTS 51): the sign for colour behind one, and the joiner between two. */
const inEmoji = String.raw`(?<=\p{Emoji})\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`;

const unseen = new RegExp(`((?!${inEmoji})(?:${steering}))`, "u");
const unseenEverywhere = new RegExp(unseen, "gu");
/** In a text of several lines, what breaks or indents them is part of it. */
const unseenInLines = new RegExp(`((?![\\n\\t]|${inEmoji})(?:${steering}))`, "u");

interface UntrustedProps {
  readonly children: string;
  /** More characters are counted and not shown. */
  readonly charsMax?: number;
}

/** HTML knows "yes" and "no"; the types of preact know a truth value, and its writer leaves false out. */
export const untranslated: object = { translate: "no" };

/** Within a line. */
export function UntrustedText({ children, charsMax = Number.POSITIVE_INFINITY }: UntrustedProps) {
  return (
    <>
      <bdi class="foreign" dir="ltr" lang="" {...untranslated}>
        {withSigns(children.slice(0, charsMax), unseen)}
      </bdi>
      {children.length > charsMax && <More chars={children.length - charsMax} />}
    </>
  );
}

/** Lines as they came, for a file or a long value. */
export function UntrustedLines({ children, charsMax = Number.POSITIVE_INFINITY }: UntrustedProps) {
  const text = children.slice(0, charsMax).replaceAll("\r\n", "\n");
  return (
    <>
      <pre class="foreign" dir="ltr" lang="" {...untranslated}>
        {withSigns(text, unseenInLines)}
      </pre>
      {children.length > charsMax && <More chars={children.length - charsMax} />}
    </>
  );
}

/** A sentence of ours that may quote: what `quoted` has marked is shown as foreign. */
export function Sentence({ text }: { readonly text: string }) {
  return (
    <>
      {piecesOf(text).map((piece) => {
        if (!piece.quoted) return piece.text;
        return piece.text === "" ? <Nothing /> : <UntrustedText>{piece.text}</UntrustedText>;
      })}
    </>
  );
}

/** A value that a site left empty: quotation marks around nothing look like a mistake of ours. */
function Nothing() {
  return <span class="muted">{useI18n().t("foreign.empty")}</span>;
}

/** For places that hold nothing but characters: titles, alternative texts. */
export function plainUntrustedText(text: string): string {
  return text.replace(unseenEverywhere, nameOf);
}

/** The same of several lines. */
export function plainUntrustedLines(text: string): string {
  return text.split("\n").map(plainUntrustedText).join("\n");
}

function withSigns(text: string, signs: RegExp) {
  // Nearly every text is one piece.
  if (!signs.test(text)) return text;
  return text.split(signs).map((piece, at) => (at % 2 === 1 ? <span class="sign">{nameOf(piece)}</span> : piece));
}

/** `U+202E`, of the first of several. */
function nameOf(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function More({ chars }: { readonly chars: number }) {
  const i18n = useI18n();
  return <span class="muted"> {i18n.count("foreign.more", chars)}</span>;
}
