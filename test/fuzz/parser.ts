/** What the fuzzing knows of a parser: the words of its grammar, sound inputs, its functions, and what must hold of whatever they read. */

export interface FuzzedParser {
  /** File of `src/parse`, without its ending. */
  readonly file: string;
  /** Words of the grammar, signs included: inputs are made of them and of rubbish. Bytes stand as Latin-1. */
  readonly words: readonly string[];
  /** Sound inputs, which are cut, joined and pierced. */
  readonly samples: readonly string[];
  /** Every function that the file exports, by its name. */
  readonly functions: Readonly<Record<string, (text: string) => unknown>>;
  /** In words; false for an input that breaks the law. */
  readonly laws?: Readonly<Record<string, (text: string) => boolean>>;
}

/** How many values and characters a result is made of, at the least one. */
export function extentOf(value: unknown): number {
  if (typeof value === "string") return value.length + 1;
  if (typeof value !== "object" || value === null) return 1;
  if (ArrayBuffer.isView(value)) return value.byteLength + 1;
  let extent = 1;
  for (const part of value instanceof Map || value instanceof Set ? [...value] : Object.values(value)) extent += extentOf(part);
  return extent;
}

/** A result may repeat its input a few times over, and not more. */
const extentPerCharMax = 40;
const extentMin = 400;

/** The faults of a parser on that text, in words; empty when there are none. Never throws. */
export function faultsOn({ functions, laws = {} }: FuzzedParser, text: string): readonly string[] {
  const faults: string[] = [];
  for (const [name, call] of Object.entries(functions)) {
    try {
      if (extentOf(call(text)) > extentMin + extentPerCharMax * text.length) faults.push(`${name}: its result knows no bounds`);
    } catch (error) {
      faults.push(`${name} throws ${error}`);
    }
  }
  for (const [law, holds] of Object.entries(laws)) {
    try {
      if (!holds(text)) faults.push(`law: ${law}`);
    } catch (error) {
      faults.push(`law: ${law}: ${error}`);
    }
  }
  return faults;
}
