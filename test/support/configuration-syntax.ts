/** Small strict readers of configuration languages, for tests of what we write. Each throws on what it does not understand. */

/** Directives of nginx with their words; blocks are not read (ngx_conf_read_token). */
export function nginxDirectives(text: string): readonly (readonly string[])[] {
  const directives: string[][] = [];
  let words: string[] = [];
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? "";
    if (/\s/.test(char)) at += 1;
    else if (char === ";") {
      directives.push(words);
      words = [];
      at += 1;
    } else {
      const [read, end] = char === '"' || char === "'" ? quotedWord(text, at) : plainWord(text, at);
      if (read.includes("$")) throw new Error(`nginx reads a variable in ${read}`);
      words.push(read);
      at = end;
    }
  }
  if (words.length > 0) throw new Error(`unfinished directive ${words.join(" ")}`);
  return directives;
}

function plainWord(text: string, from: number): readonly [string, number] {
  const [word = ""] = /^[^\s;"'{}#\\]+/.exec(text.slice(from)) ?? [];
  if (word === "") throw new Error(`unexpected ${JSON.stringify(text.slice(from, from + 10))}`);
  return [word, from + word.length];
}

function quotedWord(text: string, from: number): readonly [string, number] {
  const quote = text[from];
  let word = "";
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === quote) {
      if (!/^(?:[\s;]|$)/.test(text.slice(at + 1))) throw new Error("text follows a closing quote");
      return [word, at + 1];
    }
    if (char === "\\") {
      at += 1;
      const escaped = text[at] ?? "";
      if (!["\\", '"', "'"].includes(escaped)) throw new Error(`unknown escape \\${escaped}`);
      word += escaped;
    } else word += char;
  }
  throw new Error("unfinished quotes");
}

/** Words by line of a Caddyfile; placeholders in quoted words are an error. */
export function caddyWords(text: string): readonly (readonly string[])[] {
  return text.split("\n").map((line) => {
    const words = line.trim().match(/"[^"\\]*"|`[^`]*`|[^\s"`]+/g) ?? [];
    if (words.join("").replaceAll(/\s/g, "") !== line.replaceAll(/\s/g, "")) throw new Error(`unread text in ${line}`);
    return words.map((word) => {
      if (!/^["`]/.test(word)) return word;
      const inner = word.slice(1, -1);
      if (/[{}]/.test(inner)) throw new Error(`Caddy reads a placeholder in ${inner}`);
      return inner;
    });
  });
}

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
}

/** A document of elements, attributes and comments, well-formed by XML 1.0, without text. */
export function xmlDocument(text: string): XmlElement {
  const stack: { name: string; attributes: Record<string, string>; children: XmlElement[] }[] = [
    { name: "", attributes: {}, children: [] },
  ];
  let rest = text.trim();
  while (rest !== "") {
    const comment = /^<!--((?:(?!--)[\s\S])*)-->\s*/.exec(rest);
    const closing = /^<\/([\w.]+)>\s*/.exec(rest);
    const opening = /^<([\w.]+)((?: \w+="[^"<]*")*) ?(\/?)>\s*/.exec(rest);
    const [read] = comment ?? closing ?? opening ?? [];
    if (read === undefined) throw new Error(`no XML: ${rest.slice(0, 40)}`);
    if (closing !== null && stack.pop()?.name !== closing[1]) throw new Error(`</${closing[1]}> closes nothing`);
    if (opening !== null) {
      const element = { name: opening[1] ?? "", attributes: xmlAttributes(opening[2] ?? ""), children: [] };
      stack.at(-1)?.children.push(element);
      if (opening[3] === "") stack.push(element);
    }
    rest = rest.slice(read.length);
  }
  const [root] = stack;
  const [document] = root?.children ?? [];
  if (stack.length !== 1 || document === undefined || root?.children.length !== 1) throw new Error("not one closed document element");
  return document;
}

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };

function xmlAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => {
    const decoded = value.replaceAll(/&\w*;?/g, (entity) => {
      const char = entities[entity];
      if (char === undefined) throw new Error(`unknown entity ${entity}`);
      return char;
    });
    return [name, decoded] as const;
  });
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new Error("an attribute is repeated");
  return Object.fromEntries(pairs);
}

/** Bodies of the calls in a shell script of comments and `curl ... <<'JSON'`. */
export function jsonBodies(script: string): readonly unknown[] {
  const calls = script.replaceAll(/^#.*\n/gm, "");
  const call =
    /curl --fail -X (?:POST|PATCH) "https:\/\/api\.cloudflare\.com\/client\/v4\/zones\/[\w$/]+" \\\n {2}-H "[^"\n]+" -H "[^"\n]+" --data @- <<'JSON'\n([\s\S]*?)\nJSON(?:\n|$)/g;
  const bodies = [...calls.matchAll(call)].map(([, body = ""]) => JSON.parse(body));
  if (calls.replaceAll(call, "") !== "") throw new Error("text beside the calls");
  return bodies;
}

/** Value of a string literal of PHP. */
export function phpLiteral(literal: string): string {
  const double = /^"([^"$\\\n]*)"$/.exec(literal)?.[1];
  if (double !== undefined) return double;
  const single = /^'((?:[^'\\\n]|\\['\\])*)'$/.exec(literal)?.[1];
  if (single === undefined) throw new Error(`no literal: ${literal}`);
  return single.replaceAll(/\\(['\\])/g, "$1");
}
