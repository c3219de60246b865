/** `/clients/{name}`: all watched sites of a client on one page that prints well, and as report files, with the brand of their owner. */
import { usableBrand } from "../../agency/brand-operations.ts";
import { ClientFigures, ClientSiteMarks, clientReportFile } from "../../export/client-report/client-report.tsx";
import { ClientSummary, ClientVerdict } from "../../export/client-report/client-summary.tsx";
import { collectClient } from "../../export/client-report/collect.ts";
import { type ClientWords, clientWords, WordsContext } from "../../export/client-report/words.tsx";
import { brandInFile } from "../../export/export.ts";
import { clientReportFileName, exportFormats, pdfFormat } from "../../export/formats.ts";
import { Instant } from "../../report/components/labels.tsx";
import { HostUrl, plainUntrustedText, UntrustedText } from "../../report/components/untrusted-text.tsx";
import type { StoredBrand } from "../../store/site-accounts.ts";
import type { Site } from "../../store/sites.ts";
import { logoAnswer } from "../agency/usable-brands.ts";
import { LinkButton } from "../components/forms.tsx";
import { TextTable } from "../components/sections.tsx";
import { useVisit } from "../context.ts";
import { notFound } from "../errors.ts";
import type { GetFor } from "../guards.ts";
import { pdfFileAnswer, textFileAnswer } from "../scans/report/downloads.tsx";
import { publicOrigin, type Visit } from "../visit.ts";
import { clientPath, clientReportPath, mayEdit, ownerPath, type SiteAccess, sitePath } from "./site-access.ts";
import { CertificateDays, SiteScore } from "./site-sections.tsx";
import { sitesPage } from "./sites-frame.tsx";

/** Query parameter of the page and of the files. */
const wordsParam = "words";

export const getClient: GetFor<"members"> = (visit, access, name) => {
  const sites = sitesOfClient(visit, access, name);
  if (name === null || sites.length === 0) throw notFound();
  return clientPage(visit, access, name, sites);
};

export const getClientLogo: GetFor<"members"> = (visit, access, name) => {
  if (sitesOfClient(visit, access, name).length === 0) throw notFound();
  return logoAnswer(visit, access.owner);
};

/** Sites of the client, ordered by name as readers of the language expect it. */
function sitesOfClient({ settings, i18n }: Visit, { owner }: SiteAccess, name: string | null): readonly Site[] {
  const { compare } = new Intl.Collator(i18n.locale, { numeric: true });
  return settings.store.sites
    .list(owner.id)
    .filter(({ client }) => client !== null && client === name)
    .sort((one, other) => compare(one.name, other.name));
}

function clientPage(visit: Visit, access: SiteAccess, name: string, sites: readonly Site[]): Response {
  const { i18n, now } = visit;
  const brand = usableBrand(visit.settings.store, access.owner);
  const { store, catalog } = visit.settings;
  const report = collectClient({ store, ownerId: access.owner.id, client: name, checks: catalog.checks, locale: i18n.locale, now });
  const title = i18n.t("sites.clientPage.title", { client: plainUntrustedText(name) });
  return sitesPage(visit, {
    title,
    heading: (
      <>
        {brand !== undefined && <BrandHead brand={brand} logo={ownerPath(`/clients/${encodeURIComponent(name)}/logo.png`, access)} />}
        <UntrustedText>{name}</UntrustedText>
      </>
    ),
    lead: i18n.count("sites.clientPage.lead", sites.length, { day: i18n.date(now.toISOString()) }),
    printHeader: title,
    access,
    actions: <ClientActions access={access} name={name} />,
    children: (
      <>
        {report !== null && (
          <WordsContext.Provider value={wordsIn(visit)}>
            <ClientVerdict sites={report.sites} />
            <ClientSummary {...report} />
            <WordsChoice words={wordsIn(visit)} path={clientPath(name, access)} />
          </WordsContext.Provider>
        )}
        <ClientFigures sites={sites.map((site) => ({ site, open: site.reading?.open ?? 0 }))} now={now} />
        <TextTable
          caption="sites.list.caption"
          rows={sites}
          columns={{
            "sites.columns.name": (site) => <ClientSite site={site} />,
            "sites.columns.score": (site) => <SiteScore site={site} now={now} />,
            "sites.columns.open": { numeric: true, cell: ({ reading }) => (reading === null ? null : i18n.number(reading.open)) },
            "sites.columns.certificate": (site) => <CertificateDays site={site} now={now} />,
            "sites.columns.last": ({ reading }) =>
              reading === null ? (
                <span class="muted">{i18n.t("sites.site.notYet")}</span>
              ) : (
                <a href={`/scans/${reading.token}`}>
                  <Instant at={reading.at} relative={false} />
                </a>
              ),
          }}
        />
        {brand !== undefined && brand.footer !== null && (
          <p class="muted">
            <UntrustedText>{brand.footer}</UntrustedText>
          </p>
        )}
      </>
    ),
  });
}

/** Leads to the same page in the other words. */
function WordsChoice({ words, path }: { readonly words: ClientWords; readonly path: string }) {
  const { i18n } = useVisit();
  const other = words === "plain" ? "technical" : "plain";
  return (
    <p class="small">
      {i18n.t("sites.clientReport.words.choose")}{" "}
      <a href={`${path}${path.includes("?") ? "&" : "?"}${wordsParam}=${other}`}>{i18n.t(`sites.clientReport.words.${other}`)}</a>
    </p>
  );
}

function ClientSite({ site }: { readonly site: Site }) {
  return (
    <>
      <a href={sitePath(site)}>
        <UntrustedText>{site.name}</UntrustedText>
      </a>{" "}
      <ClientSiteMarks {...site} />
      <span class="small site-url">
        <HostUrl url={site.url} short />
      </span>
    </>
  );
}

/** Styles in a page are not allowed, so the accent colour is drawn. */
function BrandHead({ brand: { name, logoPng, accent }, logo }: { readonly brand: StoredBrand; readonly logo: string }) {
  return (
    <span class="client-brand">
      {logoPng === null ? <UntrustedText>{name}</UntrustedText> : <img src={logo} alt={plainUntrustedText(name)} />}
      {accent !== null && (
        <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width="100" height="1" fill={accent} />
        </svg>
      )}
    </span>
  );
}

function ClientActions({ access, name }: { readonly access: SiteAccess; readonly name: string }) {
  const { i18n } = useVisit();
  return (
    <>
      <LinkButton href={clientReportPath(name, access, "pdf")} text="sites.clientPage.pdf" primary download />
      <LinkButton
        href={clientReportPath(name, access, "pdf", { [wordsParam]: "technical" })}
        text="sites.clientPage.pdfTechnical"
        download
      />
      <LinkButton href={clientReportPath(name, access, "html")} text="sites.clientPage.html" download />
      <button type="button" data-print hidden>
        {i18n.t("sites.clientPage.print")}
      </button>
      <LinkButton href={ownerPath("/sites", access, { client: name })} text="sites.clientPage.inList" />
      {mayEdit(access) && <LinkButton href={ownerPath("/sites/new", access, { client: name })} text="sites.list.add" />}
    </>
  );
}

export const getClientReportHtml: GetFor<"members"> = (visit, access, client) => {
  const { extension, mediaType } = exportFormats.html;
  return textFileAnswer(visit, fileOf(visit, access, client), { name: nameOf(visit, client, extension), mediaType });
};

export const getClientReportPdf: GetFor<"members"> = (visit, access, client) =>
  pdfFileAnswer(visit, fileOf(visit, access, client), nameOf(visit, client, pdfFormat.extension));

/** An unknown value of the parameter means the default. */
function wordsIn({ url }: Pick<Visit, "url">): ClientWords {
  const asked = url.searchParams.get(wordsParam);
  return clientWords.find((words) => words === asked) ?? clientWords[0];
}

/** @throws PageError 404 for an unknown client; null means invalid percent-encoding. */
function fileOf(visit: Visit, { owner }: SiteAccess, client: string | null): string {
  const { i18n, settings, now } = visit;
  const { store, texts, catalog, version } = settings;
  const brand = usableBrand(store, owner);
  const text =
    client === null
      ? null
      : clientReportFile({
          ...{ store, owner, client, locale: i18n.locale, texts, checks: catalog.checks, version, words: wordsIn(visit), now },
          origin: publicOrigin(visit),
          brand: brand === undefined ? null : brandInFile(brand),
        });
  if (text === null) throw notFound();
  return text;
}

function nameOf({ now }: Visit, client: string | null, extension: string): string {
  return clientReportFileName(client ?? "", now, extension);
}
