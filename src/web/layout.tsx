/** Layout of every page: navigation, notices and footer. */
import { BrandMark } from "../report/brand.tsx";
import { Notice } from "../report/components/notice.tsx";
import { languageName, languageTag, type TextPath } from "../text/translator.ts";
import { useVisit } from "./context.ts";
import { DocumentHead, type DocumentHeadProps, localeLink } from "./document-head.tsx";
import type { PageContent } from "./page.tsx";
import { mayRead } from "./visit.ts";

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
