/** Opens the document of a page for its readers: an isolated world, out of reach of the page's scripts, that knows all shadow roots. */
import type { CDPSession, Protocol } from "../../browser/browser-page.ts";

/** Shadow roots that are read; pages of web components have some hundred. */
const shadowRootsMax = 2_000;
/** Closed shadow roots among them. */
const closedRootsMax = 500;
/** Elements of one name that are looked at for the shadow roots around them. */
const elementsMax = 5_000;
/** Nodes of a document above which closed shadow roots are not looked for: the browser sends whole lists of children. */
const nodesMax = 100_000;
/** Elements that readers look for in shadow roots. Closed roots without them are left out. */
const readElements = ["script", "link", "form", "input", "button"];

export interface OpenDocument {
  readonly session: CDPSession;
  /** Isolated world, whose variable `shadows` is a `Shadows`. */
  readonly contextId: number;
}

/** Id of the isolated world of a frame. @throws Error when the browser does not answer within `timeout` milliseconds, or the page is gone. */
export async function openWorld(session: CDPSession, frameId: string, timeout: number): Promise<number> {
  return (await session.send("Page.createIsolatedWorld", { frameId, worldName: "assay" }, { timeout })).executionContextId;
}

/** @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone. */
export async function openDocument(session: CDPSession, frameId: string, deadlineMs: number): Promise<OpenDocument> {
  const contextId = await openWorld(session, frameId, deadlineMs);
  const document = { session, contextId };
  const nodes = evaluateIn(document, `(globalThis.shadows = (${findShadows})(${shadowRootsMax})).nodes`, deadlineMs).then(Number);
  const closed = findClosedRoots(document, nodes, deadlineMs).catch((): ClosedRoots => ({ objectIds: [], isComplete: false }));
  await nodes;
  const { objectIds, isComplete } = await closed;
  void session.send("DOM.disable").catch(() => {});
  const add = `function (...closed) { shadows.add(closed); shadows.missed += ${isComplete ? 0 : 1}; }`;
  if (objectIds.length > 0 || !isComplete) await callIn(document, add, objectIds, deadlineMs);
  return document;
}

/** @throws Error when the page's thread does not answer within `deadlineMs`, or the page is gone. */
export async function evaluateIn({ session, contextId }: OpenDocument, expression: string, deadlineMs: number): Promise<unknown> {
  const { result, exceptionDetails } = await session.send(
    "Runtime.evaluate",
    { expression, contextId, returnByValue: true, timeout: deadlineMs },
    { timeout: deadlineMs },
  );
  if (exceptionDetails !== undefined) throw new Error(`the document cannot be read: ${exceptionDetails.text}`);
  return result.value;
}

/** Shadow roots of a document. */
export interface Shadows {
  readonly roots: readonly ShadowRoot[];
  /** Number of roots that are not in the list, if known, or else 1. */
  missed: number;
  /** Nodes of the document and its roots. */
  readonly nodes: number;
  /** Adds closed roots of this document, and the open ones within. Others belong to documents of frames. */
  add(closed: readonly ShadowRoot[]): void;
}

/** Runs in the page. Uses the methods of prototypes, because named elements shadow methods of documents. */
function findShadows(rootsMax: number): Shadows {
  const getterOf = (prototype: object, name: string) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const shadowOf = getterOf(Element.prototype, "shadowRoot");
  const numberOf = getterOf(XPathResult.prototype, "numberValue");
  const roots: ShadowRoot[] = [];
  const shadows = { roots, missed: 0, nodes: 0, add: (closed: readonly ShadowRoot[]) => closed.filter(isOfDocument).forEach(addRoot) };
  const isOfDocument = (root: ShadowRoot): boolean => Node.prototype.getRootNode.call(root, { composed: true }) === document;
  const addRoot = (root: ShadowRoot): void => {
    if (roots.length >= rootsMax) shadows.missed++;
    else {
      roots.push(root);
      for (const child of root.childNodes) countNodes(child);
      addRootsOf(DocumentFragment.prototype.querySelectorAll.call(root, "*"));
    }
  };
  const addRootsOf = (elements: Iterable<Element>): void => {
    for (const element of elements) {
      const shadow: ShadowRoot | null = shadowOf?.call(element) ?? null;
      if (shadow !== null) addRoot(shadow);
    }
  };
  const countNodes = (node: Node): void => {
    const counted = Document.prototype.evaluate.call(document, "count(descendant-or-self::node())", node, null, XPathResult.NUMBER_TYPE);
    shadows.nodes += numberOf?.call(counted);
  };
  const root: Element | null = getterOf(Document.prototype, "documentElement")?.call(document) ?? null;
  if (root !== null) countNodes(root);
  addRootsOf(Document.prototype.querySelectorAll.call(document, "*"));
  return shadows;
}

// Scripts cannot reach a closed shadow root, not even in an isolated world. The browser's own search looks into it.

interface ClosedRoots {
  readonly objectIds: readonly string[];
  readonly isComplete: boolean;
}

/** Asks for the closed shadow roots only if the browser has nodes that scripts do not reach. `reached`: number of nodes that they reach. */
async function findClosedRoots(document: OpenDocument, reached: Promise<number>, timeout: number): Promise<ClosedRoots> {
  const { session } = document;
  const roots = collectClosedRoots(session);
  const [nodes, , , all] = await Promise.all([
    reached,
    session.send("DOM.enable", {}, { timeout }),
    session.send("DOM.getDocument", { depth: 1 }, { timeout }),
    // Finds each node.
    session.send("DOM.performSearch", { query: "" }, { timeout }),
  ]);
  if (all.resultCount === nodes) return { objectIds: [], isComplete: true };
  if (nodes > nodesMax) return { objectIds: [], isComplete: false };
  if (await isOfFrame(document, all, nodes, timeout)) return { objectIds: [], isComplete: true };
  const isComplete = (await visitElements(session, timeout)) && roots.size <= closedRootsMax;
  const found = [...roots].slice(0, closedRootsMax).map((backendNodeId) => objectOf(document, { backendNodeId }, timeout));
  return { objectIds: (await Promise.all(found)).filter((objectId) => objectId !== null), isComplete };
}

/** Set of the closed shadow roots among the nodes that the browser sends, also in frames of the same process. */
function collectClosedRoots(session: CDPSession): ReadonlySet<number> {
  const roots = new Set<number>();
  const collect = ({ shadowRootType, backendNodeId, shadowRoots = [], children = [] }: Protocol.DOM.Node): void => {
    if (shadowRootType === "closed" && roots.size <= closedRootsMax) roots.add(backendNodeId);
    for (const node of [...shadowRoots, ...children]) collect(node);
  };
  session.on("DOM.setChildNodes", ({ nodes }) => {
    for (const node of nodes) collect(node);
  });
  return roots;
}

/** True if the found node belongs to the document of a frame, as these follow all nodes of the page's own document. */
async function isOfFrame(document: OpenDocument, found: Found, index: number, timeout: number): Promise<boolean> {
  if (found.resultCount <= index) return false;
  const [nodeId] = await resultsOf(document.session, found.searchId, index, index + 1, timeout);
  const objectId = nodeId === undefined ? null : await objectOf(document, { nodeId }, timeout);
  if (objectId === null) return false;
  const isInFrame = "function (node) { return Node.prototype.getRootNode.call(node, { composed: true }) !== document; }";
  return (await callIn(document, isInFrame, [objectId], timeout)) === true;
}

/** Asks for the elements that readers look for: the browser sends all nodes around each, once. False if there are too many. */
async function visitElements(session: CDPSession, timeout: number): Promise<boolean> {
  let isComplete = true;
  for (const name of readElements) {
    const { searchId, resultCount } = await session.send("DOM.performSearch", { query: `<${name}>` }, { timeout });
    if (resultCount > 0) await resultsOf(session, searchId, 0, Math.min(resultCount, elementsMax), timeout);
    isComplete &&= resultCount <= elementsMax;
  }
  return isComplete;
}

type Found = Protocol.DOM.PerformSearchResponse;

async function resultsOf(session: CDPSession, searchId: string, fromIndex: number, toIndex: number, timeout: number) {
  return (await session.send("DOM.getSearchResults", { searchId, fromIndex, toIndex }, { timeout })).nodeIds;
}

/** Null for a node that the page has removed, and for white space, which the browser does not send. */
async function objectOf(
  { session, contextId: executionContextId }: OpenDocument,
  node: Pick<Protocol.DOM.ResolveNodeRequest, "nodeId" | "backendNodeId">,
  timeout: number,
): Promise<string | null> {
  const answer = await session.send("DOM.resolveNode", { ...node, executionContextId }, { timeout }).catch(() => null);
  return answer?.object.objectId ?? null;
}

async function callIn(
  { session, contextId: executionContextId }: OpenDocument,
  functionDeclaration: string,
  objectIds: readonly string[],
  timeout: number,
): Promise<unknown> {
  const given = objectIds.map((objectId) => ({ objectId }));
  const call = { functionDeclaration, executionContextId, arguments: given, returnByValue: true };
  return (await session.send("Runtime.callFunctionOn", call, { timeout })).result.value;
}
