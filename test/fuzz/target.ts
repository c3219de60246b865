/** A fuzz target: the tokens of a grammar, valid samples, the functions under test and their properties. */

export interface FuzzTarget {
  readonly name: string;
  /** Tokens of the grammar, punctuation included: inputs mix them with noise. Binary formats are written as Latin-1. */
  readonly tokens: readonly string[];
  /** Valid inputs, to be cut, joined and mutated. */
  readonly samples: readonly string[];
  /** Unfinished inputs; the growth measurement continues each with a long run. */
  readonly heads?: readonly string[];
  /** Exported functions under test, by their names. */
  readonly functions: Readonly<Record<string, (text: string) => unknown>>;
  /** By name; each returns false for an input that breaks the property. */
  readonly properties?: Readonly<Record<string, (text: string) => boolean>>;
}

/** Number of values and characters in a result, at least 1. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + 1;
  if (typeof value !== "object" || value === null) return 1;
  if (ArrayBuffer.isView(value)) return value.byteLength + 1;
  let size = 1;
  for (const part of value instanceof Map || value instanceof Set ? [...value] : Object.values(value)) size += sizeOf(part);
  return size;
}

/** A result may repeat its input a few times. */
const sizePerCharMax = 40;
const sizeMin = 400;

/** Runs functions and properties on the text and lists what failed. Never throws. */
export function failuresOn({ functions, properties = {} }: FuzzTarget, text: string): readonly string[] {
  const failures: string[] = [];
  for (const [name, call] of Object.entries(functions)) {
    try {
      if (sizeOf(call(text)) > sizeMin + sizePerCharMax * text.length) failures.push(`${name}: its result is too large`);
    } catch (error) {
      failures.push(`${name} throws ${error}`);
    }
  }
  for (const [property, holds] of Object.entries(properties)) {
    try {
      if (!holds(text)) failures.push(`property: ${property}`);
    } catch (error) {
      failures.push(`property: ${property}: ${error}`);
    }
  }
  return failures;
}
