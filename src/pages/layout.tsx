/** What every page has around its content: head, navigation, notices and footer. */
import { locales } from "../check/check.ts";
import type { PageGiven } from "./answer.tsx";
import { scriptPath, stylePath } from "./assets.ts";
import { useVisit } from "./context.ts";
import type { TextPath } from "./words.ts";

type LayoutProps = Pick<PageGiven, "title" | "children" | "refreshSeconds" | "noIndex">;

export function Layout({ title, children, refreshSeconds, noIndex = false }: LayoutProps) {
  const { words, nonce, account, unknownLocale } = useVisit();
  return (
    <html lang={words.locale === "de-de" ? "de-DE" : "en-GB"} data-theme={account?.theme ?? "system"}>
      <head>
        <meta charset="utf-8" />
        <title>{`${title} - assay`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {noIndex && <meta name="robots" content="noindex" />}
        <link rel="stylesheet" href={stylePath} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <Alternates />
        {refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
        <script src={scriptPath} nonce={nonce} defer />
      </head>
      <body>
        <a class="skip" href="#main">
          {words.say("layout.skip")}
        </a>
        <Header />
        <main id="main" tabIndex={-1}>
          {unknownLocale && <p class="notice">{words.say("layout.unknownLocale")}</p>}
          {children}
        </main>
        <Footer />
      </body>
    </html>
  );
}

/** The same page in each language, for search engines. */
function Alternates() {
  return (
    <>
      {locales.map((locale) => (
        <link key={locale} rel="alternate" hreflang={locale} href={useLocaleLink(locale)} />
      ))}
    </>
  );
}

/** This very page with `?locale=`. */
function useLocaleLink(locale: string): string {
  const { url } = useVisit();
  const query = new URLSearchParams(url.search);
  query.set("locale", locale);
  return `${url.pathname}?${query}`;
}

const navigation: readonly (readonly [string, TextPath])[] = [
  ["/scans", "layout.nav.scans"],
  ["/checks", "layout.nav.checks"],
  ["/api", "layout.nav.api"],
];

function Header() {
  const { words, account } = useVisit();
  return (
    <header class="site-header">
      <a class="brand" href="/">
        assay
      </a>
      <nav aria-label={words.say("layout.nav.label")}>
        <ul>
          {navigation.map(([href, text]) => (
            <NavItem key={href} href={href} text={text} />
          ))}
          {account?.admin === true && <NavItem href="/admin" text="layout.nav.admin" />}
          {account === null ? <NavItem href="/sign-in" text="layout.nav.signIn" /> : <NavItem href="/account" text="layout.nav.account" />}
        </ul>
      </nav>
    </header>
  );
}

function NavItem({ href, text }: { readonly href: string; readonly text: TextPath }) {
  const { words, url } = useVisit();
  const current = url.pathname === href ? "page" : url.pathname.startsWith(`${href}/`) ? "true" : undefined;
  return (
    <li>
      <a href={href} aria-current={current}>
        {words.say(text)}
      </a>
    </li>
  );
}

function Footer() {
  const { words, settings } = useVisit();
  return (
    <footer class="site-footer">
      <nav aria-label={words.say("layout.footer.label")}>
        <ul>
          <NavItem href="/about" text="layout.footer.about" />
          <NavItem href="/migrate" text="layout.footer.migrate" />
          <NavItem href="/plans" text="layout.footer.plans" />
          {settings.legal.imprint !== null && <NavItem href="/imprint" text="legal.imprint" />}
          {settings.legal.privacy !== null && <NavItem href="/privacy" text="legal.privacy" />}
        </ul>
      </nav>
      <Languages />
      <p class="muted">assay {settings.version}</p>
    </footer>
  );
}

function Languages() {
  const { words } = useVisit();
  return (
    <nav aria-label={words.say("layout.languages")}>
      <ul>
        {locales.map((locale) => (
          <li key={locale}>
            <a href={useLocaleLink(locale)} lang={locale} hreflang={locale} aria-current={locale === words.locale ? "true" : undefined}>
              {locale === "de-de" ? "Deutsch" : "English"}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
