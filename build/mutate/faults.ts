/** One-line faults of TypeScript source: where each kind of fault can be planted, and the text with one of them. */
import { createHash } from "node:crypto";
import {
  type BinaryExpression,
  isAwaitExpression,
  isBinaryExpression,
  isBreakStatement,
  isCallExpression,
  isConditionalExpression,
  isContinueStatement,
  isElementAccessExpression,
  isExpressionStatement,
  isIfStatement,
  isNewExpression,
  isNumericLiteral,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isTypeNode,
  isWhileStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import { API } from "typescript/unstable/async";
import { createVirtualFileSystem } from "typescript/unstable/fs";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export interface Fault extends Edit {
  /** Place and kind: finds the fault again while the file is unchanged. */
  readonly id: string;
  /** Path from the root of the tree. */
  readonly path: string;
  /** Number of the line, from 1. */
  readonly line: number;
  readonly kind: FaultKind;
  readonly original: string;
}

/** Replacements of binary operators. */
const comparisons: Readonly<Record<string, string>> = { "===": "!==", "!==": "===", "==": "!=", "!=": "==" };
const boundaries: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const connectives: Readonly<Record<string, string>> = { "&&": "||", "||": "&&" };
const calculations: Readonly<Record<string, string>> = { "-": "+", "*": "/", "/": "*", "%": "*", "-=": "+=", "+=": "-=" };
const methods: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  startsWith: "endsWith",
  endsWith: "startsWith",
};
/** Larger numbers are quantities rather than boundaries: one more or less makes no difference to a test. */
const boundaryNumberMax = 100;

type Finder = (node: Node) => readonly Edit[];

const faultKinds = {
  comparison: operators(comparisons),
  boundary: operators(boundaries),
  connective: operators(connectives),
  calculation: operators(calculations),
  negation: (node) => {
    if (isIfStatement(node) || isWhileStatement(node)) return [replaced(node.expression, `!(${textOf(node.expression)})`)];
    if (isConditionalExpression(node)) return [replaced(node.condition, `!(${textOf(node.condition)})`)];
    if (isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) return [replaced(node, textOf(node.operand))];
    return [];
  },
  condition: (node) => (isIfStatement(node) ? [replaced(node.expression, "false")] : []),
  default: (node) => {
    if (!isBinary(node, SyntaxKind.QuestionQuestionToken)) return [];
    // Default of an element that exists always: it is written for the compiler.
    const isForCompiler = isElementAccessExpression(node.left) && ['""', "0", "[]"].includes(textOf(node.right));
    return isForCompiler ? [] : [replaced(node, textOf(node.left))];
  },
  optional: (node) =>
    isPropertyAccessExpression(node) && node.questionDotToken !== undefined ? [replaced(node.questionDotToken, ".")] : [],
  number: (node) => {
    if (!isNumericLiteral(node) || isBinary(node.parent, SyntaxKind.AsteriskToken) || isBinary(node.parent, SyntaxKind.SlashToken))
      return [];
    const value = Number(textOf(node));
    return Number.isInteger(value) && value <= boundaryNumberMax ? [replaced(node, String(value + 1))] : [];
  },
  boolean: (node) => {
    if (node.kind === SyntaxKind.TrueKeyword) return [replaced(node, "false")];
    return node.kind === SyntaxKind.FalseKeyword ? [replaced(node, "true")] : [];
  },
  break: (node) => (isBreakStatement(node) && leavesLoop(node) ? [replaced(node, textOf(node).replace("break", "continue"))] : []),
  continue: (node) => (isContinueStatement(node) && leavesLoop(node) ? [replaced(node, textOf(node).replace("continue", "break"))] : []),
  await: (node) => (isAwaitExpression(node) ? [replaced(node, textOf(node.expression))] : []),
  argument: (node) => {
    if (!isCallExpression(node) && !isNewExpression(node)) return [];
    const [last, previous] = node.arguments?.toReversed() ?? [];
    // Messages of errors are texts, and texts are not what the tests guard.
    if (last === undefined || previous === undefined || /Error$/.test(textOf(node.expression))) return [];
    return [{ start: previous.end, end: last.end, replacement: "" }];
  },
  statement: (node) => {
    if (!isExpressionStatement(node)) return [];
    const call = isAwaitExpression(node.expression) ? node.expression.expression : node.expression;
    const dropped = isCallExpression(call)
      ? textOf(call.expression) !== "super"
      : isBinaryExpression(call) && isAssignment(textOf(call.operatorToken));
    // Not an empty statement, which the type check refuses below an `if`.
    return dropped ? [replaced(node, "{}")] : [];
  },
  method: (node) => {
    if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return [];
    const { name } = node.expression;
    return operatorEdit(name, methods);
  },
} satisfies Readonly<Record<string, Finder>>;

export type FaultKind = keyof typeof faultKinds;

/** Faults that can be planted in these files, in the order of the text. Keys are paths from the root of the tree. */
export async function faultsIn(texts: ReadonlyMap<string, string>): Promise<readonly Fault[]> {
  const parsed = await parseTypeScript(texts);
  return parsed.flatMap(({ path, file }) => {
    const found: Fault[] = [];
    const visit = (node: Node): undefined => {
      if (isTypeNode(node) || isDeclarationOnly(node) || isLogCall(node)) return;
      for (const [kind, find] of Object.entries(faultKinds) as [FaultKind, Finder][])
        for (const edit of find(node)) found.push(faultOf(path, file.text, kind, edit));
      node.forEachChild(visit);
    };
    file.forEachChild(visit);
    return withUniqueIds(found.filter(({ original }) => !original.includes("\n")).toSorted((one, other) => one.start - other.start));
  });
}

/** Nested expressions may begin at the same place. */
function withUniqueIds(faults: readonly Fault[]): readonly Fault[] {
  const seen = new Map<string, number>();
  return faults.map((fault) => {
    const count = (seen.get(fault.id) ?? 0) + 1;
    seen.set(fault.id, count);
    return count === 1 ? fault : { ...fault, id: `${fault.id}.${count}` };
  });
}

export function plant(text: string, { start, end, replacement }: Edit): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** Whether the text with the fault compiles, to something else than without. Types are not checked: Bun does not check them either. */
export function changesProgram(text: string, fault: Fault): boolean {
  const transpiler = new Bun.Transpiler({ loader: fault.path.endsWith("x") ? "tsx" : "ts", target: "bun" });
  try {
    return transpiler.transformSync(plant(text, fault)) !== transpiler.transformSync(text);
  } catch {
    return false;
  }
}

/** Changes when the file does: results of an older text do not count. */
export function textHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function faultOf(path: string, text: string, kind: FaultKind, edit: Edit): Fault {
  const before = text.slice(0, edit.start).split("\n");
  const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1];
  return { ...edit, id: `${path}:${line}:${column}:${kind}`, path, line, kind, original: text.slice(edit.start, edit.end) };
}

/** Parses the files with TypeScript's own parser, which runs as a child process, and as one project without libraries. */
async function parseTypeScript(
  texts: ReadonlyMap<string, string>,
): Promise<readonly { readonly path: string; readonly file: SourceFile }[]> {
  const options = { noLib: true, noResolve: true, types: [], jsx: "preserve", allowImportingTsExtensions: true, noEmit: true };
  const config = JSON.stringify({ compilerOptions: options, files: [...texts.keys()] });
  const files = Object.fromEntries([...texts].map(([path, text]) => [`/${path}`, text]));
  const api = new API({ cwd: "/", fs: createVirtualFileSystem({ ...files, "/tsconfig.json": config }) });
  try {
    const snapshot = await api.updateSnapshot({ openProjects: ["/tsconfig.json"] });
    const program = snapshot.getProjects()[0]?.program;
    return await Promise.all(
      [...texts.keys()].map(async (path) => {
        const file = await program?.getSourceFile(`/${path}`);
        if (file === undefined) throw new Error(`TypeScript cannot parse ${path}`);
        return { path, file };
      }),
    );
  } finally {
    await api.close();
  }
}

function textOf(node: Node): string {
  return node.getText();
}

function replaced(node: Node, replacement: string): Edit {
  return { start: node.getStart(), end: node.end, replacement };
}

function isBinary(node: Node, operator: SyntaxKind): node is BinaryExpression {
  return isBinaryExpression(node) && node.operatorToken.kind === operator;
}

function operators(table: Readonly<Record<string, string>>): Finder {
  return (node) => (isBinaryExpression(node) ? operatorEdit(node.operatorToken, table) : []);
}

function operatorEdit(token: Node, table: Readonly<Record<string, string>>): readonly Edit[] {
  const text = textOf(token);
  const replacement = Object.hasOwn(table, text) ? table[text] : undefined;
  return replacement === undefined ? [] : [replaced(token, replacement)];
}

function isAssignment(operator: string): boolean {
  return /^[^=!<>]*=$/.test(operator);
}

/** Whether the innermost statement that `break` could leave is a loop. `continue` means another thing in a switch. */
function leavesLoop(node: Node): boolean {
  for (let outer = node.parent; outer !== undefined; outer = outer.parent) {
    if (outer.kind === SyntaxKind.SwitchStatement) return false;
    if (outer.kind >= SyntaxKind.DoStatement && outer.kind <= SyntaxKind.ForOfStatement) return true;
  }
  return false;
}

function isDeclarationOnly(node: Node): boolean {
  return [
    SyntaxKind.ImportDeclaration,
    SyntaxKind.ExportDeclaration,
    SyntaxKind.InterfaceDeclaration,
    SyntaxKind.TypeAliasDeclaration,
  ].includes(node.kind);
}

/** Lines of the log are not an interface: a fault within them does no harm that a test should guard. */
function isLogCall(node: Node): boolean {
  if (isExpressionStatement(node)) return isLogCall(node.expression);
  return isCallExpression(node) && /(^|\.)log\??\.(debug|info|warn|error)$/.test(textOf(node.expression));
}
