/** Auth guards of the pages: whom a route answers, and what its handlers receive. */
import type { Account } from "../store/accounts.ts";
import { adminOnly, formMalformed, signInFirst, sitesReadOnly } from "./errors.ts";
import { type Fields, readForm } from "./form.tsx";
import { redirect } from "./response.ts";
import { accessNamed, type EditorAccess, mayEdit, type SharedSite, siteNamed } from "./sites/site-access.ts";
import { type Answer, isSignedIn, mayRead, type PageHandler, type SignedInVisit, type Visit } from "./visit.ts";

type SignedInHandler = (visit: SignedInVisit, param: string | null) => Answer;
type GetHandler<Granted> = (visit: SignedInVisit, granted: Granted, param: string | null) => Answer;
type PostHandler<Granted> = (visit: SignedInVisit, granted: Granted, fields: Fields, param: string | null) => Answer;

const accountOf = ({ account }: SignedInVisit): Account => account;

/**
 * Audiences with an account, and what their handlers receive. A function throws PageError for a visitor without the right.
 * Viewers see the pages of `members` and `siteMembers`, but their forms are for editors.
 */
const grants = {
  accounts: { get: accountOf, post: accountOf },
  administrators: { get: adminOf, post: adminOf },
  // Watched sites of the owner that `?of=` names: for the owner and its members.
  members: { get: accessNamed, post: editorAccess },
  editors: { get: editorAccess, post: editorAccess },
  // Watched site whose id is in the path.
  siteMembers: { get: siteNamed, post: editableSite },
  siteEditors: { get: editableSite, post: editableSite },
};

type SignedInAudience = keyof typeof grants;
type PostGrant<A extends SignedInAudience> = ReturnType<(typeof grants)[A]["post"]>;
export type GetFor<A extends SignedInAudience> = GetHandler<ReturnType<(typeof grants)[A]["get"]>>;
export type PostFor<A extends SignedInAudience> = PostHandler<PostGrant<A>>;
export type UploadFor<A extends SignedInAudience> = GetHandler<PostGrant<A>>;

/** Handler that dispatches on the field `do`. It throws PageError 400 for an operation that the table does not have. */
export function byOperation<Granted>(operations: Readonly<Record<string, PostHandler<Granted>>>): PostHandler<Granted> {
  const handlers = new Map(Object.entries(operations));
  return (visit, granted, fields, param) => {
    const handler = handlers.get(fields.text("do"));
    if (handler === undefined) throw formMalformed();
    return handler(visit, granted, fields, param);
  };
}

interface Route<Audience, Get, Post> {
  /** At most one placeholder, as in `/checks/:key`. */
  readonly path: string;
  readonly audience: Audience;
  readonly get?: Get;
  readonly post?: Post;
}

/** Shows, starts or cancels a scan. The setting `readers` says who may: everybody, or accounts only. */
interface ReadersRoute extends Route<"readers", PageHandler, PageHandler> {
  /** True where guests who may not read get 401 and not the sign-in page: for answers to programs, and for files. */
  readonly isData?: (param: string | null) => boolean;
}

interface SignedInRoute<A extends SignedInAudience> extends Route<A, GetFor<A>, PostFor<A>> {
  /** POST whose handler reads the body itself, in place of `post`. */
  readonly upload?: UploadFor<A>;
  /** Longest form; absent: the default of `readForm`. */
  readonly formBytesMax?: number;
}

export type PageRoute =
  | Route<"everybody", PageHandler, PageHandler>
  | ReadersRoute
  | { readonly [A in SignedInAudience]: SignedInRoute<A> }[SignedInAudience];

interface GuardedHandlers {
  readonly get: PageHandler | undefined;
  readonly post: PageHandler | undefined;
}

/** @throws Error that names the path of a route without audience, or of the second route with a path. */
export function guardedRoutes(routes: readonly PageRoute[]): readonly (GuardedHandlers & Pick<PageRoute, "path">)[] {
  const shapes = routes.map(({ path }) => path.replace(/:\w+/, ":"));
  return routes.map((route, at) => {
    if (shapes.indexOf(shapes[at] ?? "") !== at) throw new Error(`two routes have the path ${route.path}`);
    return { path: route.path, ...guarded(route) };
  });
}

function guarded(route: PageRoute): GuardedHandlers {
  if (route.audience === "everybody" || route.audience === "readers")
    return { get: forReaders(route, route.get), post: forReaders(route, route.post) };
  if (!Object.hasOwn(grants, route.audience)) throw new Error(`the route ${route.path} has no audience`);
  const { get, post, upload, formBytesMax } = route;
  const grant = grants[route.audience];
  // `never`: `PageRoute` pairs a handler with what its audience grants, which the compiler cannot follow here.
  const postForm: SignedInHandler | undefined =
    post &&
    (async (visit, param) => {
      const fields = await readForm(visit, formBytesMax);
      // Rights are read after the form: an upload can be slow.
      return post(visit, grant.post(visit, param) as never, fields, param);
    });
  return {
    get: forAccounts(route, get && ((visit, param) => get(visit, grant.get(visit, param) as never, param))),
    post: forAccounts(route, upload ? (visit, param) => upload(visit, grant.post(visit, param) as never, param) : postForm),
  };
}

function forAccounts(route: PageRoute, handler: SignedInHandler | undefined): PageHandler | undefined {
  return handler && ((visit, param) => (isSignedIn(visit) ? handler(visit, param) : guestAnswer(route, visit, param)));
}

/** Redirects to the sign-in page, which leads back to the requested page. @throws PageError 401 where no page can be requested again. */
function guestAnswer(route: PageRoute, visit: Visit, param: string | null): Response {
  const { url, request } = visit;
  const isPost = request.method === "POST";
  if (route.audience === "readers" ? isPost || route.isData?.(param) === true : isPost && route.get === undefined) throw signInFirst();
  const next = isPost ? url.pathname : `${url.pathname}${url.search}`;
  return redirect(visit, `/sign-in?${new URLSearchParams({ next })}`);
}

/** Others learn nothing of a scan, not even whether it exists: they are refused before it is looked for. */
function forReaders(route: PageRoute, handler: PageHandler | undefined): PageHandler | undefined {
  if (handler === undefined) return undefined;
  return (visit, param) => {
    if (route.audience === "everybody" || visit.settings.config.readers === "everybody") return handler(visit, param);
    return mayRead(visit) ? withoutCopies(handler(visit, param)) : guestAnswer(route, visit, param);
  };
}

/** No proxy and no browser may show the answer again after signing out. No page of another site may embed it. */
async function withoutCopies(answer: Answer): Promise<Response> {
  const response = await answer;
  response.headers.set("cache-control", "no-store");
  response.headers.set("cross-origin-resource-policy", "same-origin");
  return response;
}

function adminOf({ account }: SignedInVisit): Account & { readonly admin: true } {
  const { admin } = account;
  if (!admin) throw adminOnly();
  return { ...account, admin };
}

function editorAccess(visit: SignedInVisit): EditorAccess {
  const access = accessNamed(visit);
  if (!mayEdit(access)) throw sitesReadOnly();
  return access;
}

function editableSite(visit: SignedInVisit, id: string | null): SharedSite<EditorAccess> {
  const { site, access } = siteNamed(visit, id);
  if (!mayEdit(access)) throw sitesReadOnly();
  return { site, access };
}
