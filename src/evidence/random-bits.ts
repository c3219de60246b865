/** Estimates the random bits of a cookie's value: evidence keeps this number in place of the value. */
import { randomBitsMax } from "./limits.ts";

/** 64 bits in the densest alphabet. Shorter pieces are words or counters. */
const pieceCharsMin = 11;
/** Base64 of a short text, decoded to see whether it is one. */
const decodedCharsMax = 4_096;

/** UUID with a version and the variant of RFC 9562. All count as version 4, since versions made of times identify a visitor as well. */
const uuid = /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-f])/gi;
const uuidBits = 122;

/** Whole bits, 0 for words, numbers, times and JSON. An estimate from below: a miss is better than a setting taken for a secret. */
export function randomBitsOf(value: string): number {
  return Math.min(randomBitsMax, bitsOf(unquoted(decodedUri(value)), true));
}

function bitsOf(text: string, mayDecode: boolean): number {
  if (/^\s*[[{]/.test(text)) return bitsOfJson(text);
  const uuids = text.match(uuid)?.length ?? 0;
  const rest = text.replaceAll(uuid, " ");
  return uuids * uuidBits + piecesOf(rest).reduce((sum, piece) => sum + bitsOfPiece(piece, mayDecode), 0);
}

/** Laravel encrypts each cookie to this JSON. The members of any other JSON are data that a script may read. */
function bitsOfJson(text: string): number {
  const encrypted = /^\{"iv":"[^"]*","value":"([^"]*)","mac":/.exec(text);
  return encrypted === null ? 0 : bitsOf(encrypted[1] ?? "", false);
}

function decodedUri(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function unquoted(value: string): string {
  return /^".*"$/s.test(value) ? value.slice(1, -1) : value;
}

/** Share of separators above which they divide words; base64 has some by chance. */
const separatorShareMax = 0.2;

function piecesOf(text: string): readonly string[] {
  return text.split(/[^A-Za-z0-9+/_,-]+/).flatMap((run) => {
    const separators = run.match(/[+/_,-]/g)?.length ?? 0;
    return separators > run.length * separatorShareMax ? run.split(/[+/_,-]+/) : [run];
  });
}

function bitsOfPiece(piece: string, mayDecode: boolean): number {
  if (piece.length < pieceCharsMin || !/[A-Za-z]/.test(piece) || isSequence(piece)) return 0;
  if (/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(piece)) return bitsOfHex(piece);
  if (new Set(piece).size < distinctCharsMin) return 0;
  const text = mayDecode ? textInBase64(piece) : null;
  if (text !== null) return bitsOf(text, false);
  if (wordLikeness(piece) >= (/\d/.test(piece) ? wordLikenessMax : wordLikenessOfLettersMax)) return 0;
  const isMixedCase = /[a-z]/.test(piece) && /[A-Z]/.test(piece);
  return Math.floor(piece.length * (isMixedCase ? bitsPerMixedChar : bitsPerChar));
}

/** Different characters of a random piece; fewer are a pattern. */
const distinctCharsMin = 8;
const distinctHexDigitsMin = 6;
/** Letters and digits that a random hexadecimal number has at least. */
const hexOfEachKindMin = 2;
/** log2 of the alphabet, rounded down: one case with digits, both cases with digits. */
const bitsPerChar = 5;
const bitsPerMixedChar = 5.9;

function bitsOfHex(piece: string): number {
  const digits = piece.match(/\d/g)?.length ?? 0;
  const isNumber = Math.min(digits, piece.length - digits) < hexOfEachKindMin;
  return isNumber || new Set(piece).size < distinctHexDigitsMin ? 0 : piece.length * 4;
}

/** True for runs such as 0123456789 or aaaa, where half of the characters are the neighbour of the one before. */
function isSequence(piece: string): boolean {
  const steps = adjacent(piece).filter(([one, next]) => Math.abs(one.charCodeAt(0) - next.charCodeAt(0)) <= 1);
  return steps.length * 2 >= piece.length - 1;
}

/** The text that a piece encodes in base64; null for bytes that are no text, as random ones are. */
function textInBase64(piece: string): string | null {
  const bytes = Buffer.from(piece.slice(0, decodedCharsMax), "base64");
  const text = bytes.toString();
  return /^[\t\n\r\x20-\x7e\u00a0-\ufffc]+$/.test(text) ? text : null;
}

/** Above these, a piece reads like words. Chosen so that fewer than 3 in 1,000 random pieces of 20 characters do. */
const wordLikenessMax = 0;
const wordLikenessOfLettersMax = -0.4;

/**
 * Mean of the logarithms of likelihoods, for each pair of neighbours: positive for words and numbers, negative for random characters. The
 * weights come from the texts of this program, in which 88% of the letter pairs are common ones; of random letters it is 22%.
 */
function wordLikeness(piece: string): number {
  const pairs = adjacent(piece);
  return pairs.reduce((sum, [one, next]) => sum + weightOfPair(one, next), 0) / pairs.length;
}

function weightOfPair(one: string, next: string): number {
  const [kind, nextKind] = [kindOf(one), kindOf(next)];
  if (kind === "other" || nextKind === "other") return 0.7;
  if (kind === "digit" && nextKind === "digit") return 1;
  if (kind === "digit" || nextKind === "digit" || (kind === "lower" && nextKind === "upper")) return -1;
  return commonPairs.has((one + next).toLowerCase()) ? 2 : -2.7;
}

function kindOf(character: string): "digit" | "lower" | "upper" | "other" {
  if (/[0-9]/.test(character)) return "digit";
  if (/[a-z]/.test(character)) return "lower";
  return /[A-Z]/.test(character) ? "upper" : "other";
}

function adjacent(piece: string): readonly (readonly [string, string])[] {
  return [...piece].slice(1).map((next, at) => [piece.charAt(at), next] as const);
}

/** Common pairs of letters in English and German. */
const commonPairs: ReadonlySet<string> = new Set(
  (
    "ab ac ad ag ai al am an ap ar as at au ay be br ca ce ch co cr ct cu da de di do dr ea eb ec ed ef ei el em en ep er es et fe fi fo " +
    "fr ge gi ha he hi ho hr ht ic id ie if ig il in io ir is it iv ke la le li ll lo ls lt ma me mi na nc nd ne ng ni nn no ns nt od of " +
    "ok ol om on oo or os ot ou ow pa pe pl po pr ra rc rd re ri ro rs rt sa sc se sh si so sp ss st su ta te th ti tl to tp tr ts tt ty " +
    "ue uf un ur us ut ve vo wa we wh wi wo ws ze zu"
  ).split(" "),
);
