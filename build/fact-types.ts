/** Writes the types of facts out in full, from the source of their schemas: what authors of plugins read has no typebox in it. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

// reads: src/evidence/
const folder = resolve(import.meta.dirname, "../src/evidence");
const schemaFiles = ["dns-facts", "http-facts", "page-facts", "tls-facts", "facts"];
const wordFiles = ["evidence", "limits"];

/** Types that the building blocks of src/evidence/fields.ts stand for. */
const plainTypes: Readonly<Record<string, string>> = {
  flag: "boolean",
  count: "number",
  wholeNumber: "number",
  text: "string",
  date: "string",
  instant: "string",
  probeFailure: "ProbeFailure",
};

/** A constant of a source file: its comment, and the tokens of its value. */
interface Constant {
  readonly file: string;
  readonly doc: string;
  readonly tokens: readonly string[];
}

interface Sources {
  /** Constants by file and name. */
  readonly constants: ReadonlyMap<string, Constant>;
  /** Names of exported types, by the constant that they follow from. */
  readonly typeOf: ReadonlyMap<string, string>;
}

/** Declarations by name of the type. */
export function factTypes(): ReadonlyMap<string, string> {
  const sources = readSources();
  const written = new Map<string, string>();
  for (const [place, name] of sources.typeOf) {
    const constant = sources.constants.get(place);
    if (constant === undefined) throw new Error(`${name} follows from ${place}, which is not a constant`);
    const printer = createPrinter(constant, sources);
    const type = constant.tokens[0] === "[" ? printer.words() : printer.type();
    const body = type.startsWith("{") ? `interface ${name} ${type}\n` : `type ${name} =${type.startsWith("\n") ? "" : " "}${type};\n`;
    written.set(name, `${constant.doc === "" ? "" : `${constant.doc}\n`}${body}`);
  }
  return written;
}

/** True for a file of schemas, or of their building blocks: only the types that follow from it are part of the plugin API. */
export function isSchemaFile(path: string): boolean {
  return [...schemaFiles, "fields"].some((name) => path === `evidence/${name}`);
}

function readSources(): Sources {
  const constants = new Map<string, Constant>();
  const typeOf = new Map<string, string>();
  for (const file of [...wordFiles, ...schemaFiles]) {
    const source = readFileSync(join(folder, `${file}.ts`), "utf8");
    for (const match of source.matchAll(/((?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?)(?:export )?const (\w+) = /g)) {
      const [{ length }, doc = "", name = ""] = match;
      const constant = { file, doc: doc.trim(), tokens: tokensOf(source.slice(match.index + length)) };
      constants.set(`${file} ${name}`, constant);
    }
    for (const [, doc = "", name = "", schema = "", words = ""] of source.matchAll(
      /((?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?)export type (\w+) = (?:Fact<typeof (\w+)>|\(typeof (\w+)\)\[number\]);/g,
    )) {
      const place = `${file} ${schema || words}`;
      const constant = constants.get(place);
      if (constant !== undefined && words !== "") constants.set(place, { ...constant, doc: doc.trim() });
      typeOf.set(place, name);
    }
  }
  return { constants, typeOf };
}

/** Tokens of the expression at the start of a source: comments, texts, names and single signs. */
function tokensOf(source: string): readonly string[] {
  const tokens: string[] = [];
  let depth = 0;
  for (const [token] of source.matchAll(/\/\*\*(?:[^*]|\*(?!\/))*\*\/|"[^"\n]*"|\.\.\.|[\w$]+|\S/g)) {
    if (depth === 0 && token === ";") break;
    if ("([{".includes(token)) depth++;
    if (")]}".includes(token)) depth--;
    tokens.push(token);
  }
  return tokens;
}

/** Prints the value of a constant as a type. */
function createPrinter({ file, tokens }: Constant, sources: Sources, indent = "") {
  let at = 0;
  const next = () => tokens[at++] ?? "";
  const isNext = (token: string) => tokens[at] === token;
  const expect = (token: string) => {
    const found = next();
    if (found !== token) throw new Error(`evidence/${file}.ts has ${found} in place of ${token} in a schema`);
  };

  function placeOf(name: string): string {
    const files = [file, ...schemaFiles, ...wordFiles];
    const found = files.find((each) => sources.constants.has(`${each} ${name}`));
    if (found === undefined) throw new Error(`evidence/${file}.ts uses ${name}, which no schema declares`);
    return `${found} ${name}`;
  }

  function named(name: string, within: string): string {
    const place = placeOf(name);
    const constant = sources.constants.get(place);
    return sources.typeOf.get(place) ?? (constant === undefined ? "" : createPrinter(constant, sources, within).type());
  }

  /** Skips the rest of the arguments of a call. */
  function endCall(): void {
    for (let depth = 1; depth > 0; ) {
      const token = next();
      if (token === "(") depth++;
      else if (token === ")") depth--;
      else if (token === "") throw new Error(`evidence/${file}.ts has a call without an end`);
    }
  }

  function type(within = indent): string {
    const name = next();
    if (!isNext("(")) return plainTypes[name] ?? named(name, within);
    expect("(");
    const written = call(name, within);
    endCall();
    return written;
  }

  function call(name: string, within: string): string {
    const plain = plainTypes[name];
    if (plain !== undefined) return plain;
    if (name === "fields") return isNext("{") ? object(within) : `{\n${members(next(), within)}${within}}`;
    if (name === "literalOf") return literals();
    if (name === "recordOf") {
      const names = named(next(), within);
      expect(",");
      return `Readonly<Record<${names}, ${type(within)}>>`;
    }
    const inner = type(within);
    if (name === "list") return `readonly ${/[|]|^readonly /.test(inner.replace(/\{.*\}|<.*>/s, "")) ? `(${inner})` : inner}[]`;
    if (name === "orNull") return `${inner} | null`;
    if (name === "readingOf") return `Reading<${inner}>`;
    throw new Error(`evidence/${file}.ts calls ${name}, which is no building block of schemas`);
  }

  function literals(): string {
    const words: string[] = [];
    while (!isNext(")")) {
      const word = next();
      if (word === "...") words.push(named(next(), ""));
      else if (word !== ",") words.push(word);
    }
    return words.join(" | ");
  }

  function object(within: string): string {
    expect("{");
    return `{\n${properties(within)}${within}}`;
  }

  /** Members of the object that a constant names. */
  function members(name: string, within: string): string {
    const constant = sources.constants.get(placeOf(name));
    return constant === undefined ? "" : createPrinter(constant, sources, within).memberLines();
  }

  function properties(within: string): string {
    const inner = `${within}    `;
    let lines = "";
    while (!isNext("}")) {
      const doc = tokens[at]?.startsWith("/**") === true ? `${inner}${next().replace(/\n\s*/g, `\n${inner} `)}\n` : "";
      const name = next();
      if (name === ",") continue;
      if (name === "...") {
        lines += members(next(), within);
        continue;
      }
      if (isNext(":")) expect(":");
      // A shorthand property: the value has the same name.
      else at--;
      const isOptional = isNext("orAbsent");
      if (isOptional) at += 2;
      lines += `${doc}${inner}readonly ${name}${isOptional ? "?" : ""}: ${type(inner)};\n`;
      if (isOptional) endCall();
    }
    expect("}");
    return lines;
  }

  /** Members of the constant itself, an object. */
  function memberLines(): string {
    expect("{");
    return properties(indent);
  }

  /** Members of a list of words, each with its comment. */
  function words(): string {
    const listed = tokens.slice(1, tokens.indexOf("]")).filter((token) => token !== ",");
    if (!listed.some((token) => token.startsWith("/**"))) return listed.join(" | ");
    return listed.map((token) => (token.startsWith("/**") ? `\n    ${token}` : `\n    | ${token}`)).join("");
  }

  return { type: () => type(), memberLines, words };
}
