/** Layout of every page: head with what search engines and link previews read, navigation, notices and footer. */
import { BrandMark } from "../report/brand.tsx";
import { Notice } from "../report/components/notice.tsx";
import { languageName, languageTag, type TextPath } from "../text/translator.ts";
import { scriptPath, stylePath } from "./assets.ts";
import { useVisit } from "./context.ts";
import type { PageContent } from "./page.tsx";
import { mayRead, publicOrigin, type SharedVisit } from "./visit.ts";

type LayoutProps = DocumentHeadProps & Pick<PageContent, "children" | "printHeader">;

export function Layout({ children, printHeader, ...head }: LayoutProps) {
  const { i18n, account, unknownLocale } = useVisit();
  const theme = account?.theme ?? "system";
  return (
    <html lang={languageTag(i18n.locale)} data-theme={theme} data-print-header={printHeader}>
      <DocumentHead {...head} />
      <body>
        <a class="skip" href="#main">
          {i18n.t("layout.skip")}
        </a>
        <Header />
        <main id="main" tabIndex={-1}>
          {unknownLocale && (
            <Notice>
              <p>{i18n.t("layout.unknownLocale")}</p>
            </Notice>
          )}
          {children}
        </main>
        <Footer />
      </body>
    </html>
  );
}

const navigation: readonly (readonly [string, TextPath])[] = [
  ["/scans", "layout.nav.scans"],
  ["/checks", "layout.nav.checks"],
  ["/api", "layout.nav.api"],
];

function Header() {
  const visit = useVisit();
  const { i18n, account, server, url } = visit;
  return (
    <header class="site-header">
      <a class="brand" href="/">
        <BrandMark />
        assay
      </a>
      {/* Source of the printout. The query is left out: it may contain typed text. */}
      <p class="print-only break">{`${server.origin}${url.pathname}`}</p>
      <nav aria-label={i18n.t("layout.nav.label")}>
        <ul>
          {navigation.map(([href, text]) => (href === "/scans" && !mayRead(visit) ? null : <NavItem key={href} href={href} text={text} />))}
          {account !== null && <NavItem href="/sites" text="layout.nav.sites" />}
          {account?.admin === true && <NavItem href="/admin" text="layout.nav.admin" />}
          {account === null ? <NavItem href="/sign-in" text="layout.nav.signIn" /> : <NavItem href="/account" text="layout.nav.account" />}
        </ul>
      </nav>
    </header>
  );
}

function NavItem({ href, text }: { readonly href: string; readonly text: TextPath }) {
  const { i18n, url } = useVisit();
  const current = url.pathname === href ? "page" : url.pathname.startsWith(`${href}/`) ? "true" : undefined;
  return (
    <li>
      <a href={href} aria-current={current}>
        {i18n.t(text)}
      </a>
    </li>
  );
}

function Footer() {
  const { i18n, settings } = useVisit();
  const { config, legal } = settings;
  return (
    <footer class="site-footer">
      <nav aria-label={i18n.t("layout.footer.label")}>
        <ul>
          <NavItem href="/about" text="layout.footer.about" />
          <NavItem href="/migrate" text="layout.footer.migrate" />
          <NavItem href="/plans" text="layout.footer.plans" />
          {config["security.contact"] !== null && <NavItem href="/.well-known/security.txt" text="layout.footer.security" />}
          {legal.imprint !== null && <NavItem href="/imprint" text="layout.footer.imprint" />}
          {legal.privacy !== null && <NavItem href="/privacy" text="layout.footer.privacy" />}
        </ul>
      </nav>
      <Languages />
      <p>assay {settings.version}</p>
    </footer>
  );
}

function Languages() {
  const visit = useVisit();
  const { i18n, settings } = visit;
  return (
    <nav aria-label={i18n.t("layout.languages")}>
      <ul>
        {settings.texts.locales.map((locale) => (
          <li key={locale}>
            <a
              href={localeLink(visit, locale)}
              lang={languageTag(locale)}
              hreflang={languageTag(locale)}
              aria-current={locale === i18n.locale ? "true" : undefined}
            >
              {languageName(settings.texts, locale)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type DocumentHeadProps = Pick<PageContent, "title" | "status" | "refreshSeconds" | "noIndex" | "description" | "picture">;

const productName = "assay";

function DocumentHead({ title, refreshSeconds, noIndex = false, ...about }: DocumentHeadProps) {
  const { account, url } = useVisit();
  const theme = account?.theme ?? "system";
  return (
    <head>
      <meta charset="utf-8" />
      <title>{`${title} - ${productName}`}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content={theme === "system" ? "light dark" : theme} />
      {noIndex && <meta name="robots" content="noindex" />}
      <link rel="stylesheet" href={stylePath} />
      <link rel="icon" href="/favicon.ico" sizes="32x32" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      <Canonical {...about} />
      <Alternates />
      <LinkPreview title={title} {...about} />
      {refreshSeconds !== undefined && (
        <noscript>
          {/* Names the URL: a reload of a URL with a fragment (#doctor) would only scroll. */}
          <meta http-equiv="refresh" content={`${refreshSeconds};url=${url.pathname}${url.search}`} />
        </noscript>
      )}
      <script src={scriptPath} defer />
    </head>
  );
}

/** Null where the query chooses more than the language: such a query may be a page of its own. */
function Canonical({ status = 200 }: Pick<DocumentHeadProps, "status">) {
  const visit = useVisit();
  const names = [...visit.url.searchParams.keys()];
  if (status !== 200 || names.some((name) => name !== "locale")) return null;
  return (
    <link rel="canonical" href={absolute(visit, localeLink(visit, visit.unknownLocale ? null : visit.url.searchParams.get("locale")))} />
  );
}

/** Other languages for search engines; `x-default` chooses by the browser's. */
function Alternates() {
  const visit = useVisit();
  return (
    <>
      {visit.settings.texts.locales.map((locale) => (
        <link key={locale} rel="alternate" hreflang={languageTag(locale)} href={absolute(visit, localeLink(visit, locale))} />
      ))}
      <link rel="alternate" hreflang="x-default" href={absolute(visit, localeLink(visit, null))} />
    </>
  );
}

/** Open Graph; X and others read the same fields. The title leaves the product out, as the site has its own field. */
function LinkPreview({ title, description, picture }: Pick<DocumentHeadProps, "title" | "description" | "picture">) {
  const visit = useVisit();
  if (description === undefined) return null;
  return (
    <>
      <meta name="description" content={description} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={productName} />
      <meta property="og:locale" content={languageTag(visit.i18n.locale)?.replace("-", "_")} />
      <meta property="og:url" content={absolute(visit, pathOf(visit))} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      {picture !== undefined && (
        <>
          <meta property="og:image" content={absolute(visit, picture.path)} />
          <meta property="og:image:type" content={picture.type} />
          <meta property="og:image:width" content={String(picture.widthPx)} />
          <meta property="og:image:height" content={String(picture.heightPx)} />
          <meta property="og:image:alt" content={picture.alt} />
        </>
      )}
      <meta name="twitter:card" content={picture === undefined ? "summary" : "summary_large_image"} />
    </>
  );
}

/** Current path with query, in this language; null for the one that the browser asks for. */
function localeLink(visit: SharedVisit, locale: string | null): string {
  const query = new URLSearchParams(visit.url.search);
  if (locale === null) query.delete("locale");
  else query.set("locale", locale);
  return `${pathOf(visit)}${query.size === 0 ? "" : `?${query}`}`;
}

/** Browsers read a path that starts with two slashes as a host. */
function pathOf({ url }: SharedVisit): string {
  return url.pathname.replace(/^\/+/, "/");
}

/** A visit with an invalid Host header has no origin. */
function absolute(visit: SharedVisit, path: string): string {
  const origin = publicOrigin(visit);
  return origin === "null" ? path : `${origin}${path}`;
}
