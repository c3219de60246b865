/** Every path of the pages and its handlers: a new page is one file and one line here. */
import { acceptMemberPath } from "../agency/member-operations.ts";
import { getOidcCallback, getOidcStart, postOidcLink } from "./accounts/oidc.tsx";
import { createPostForgotten, getForgotten, getReset, postReset } from "./accounts/password-reset.tsx";
import { getProfile, postProfile } from "./accounts/profile.tsx";
import { getSetup, getSignUp, postSetup, postSignUp } from "./accounts/registration.tsx";
import { getSecondFactor, postSecondFactor } from "./accounts/second-factor.tsx";
import { getSecondStep, getSignIn, getSignOut, postSecondStep, postSignIn, postSignOut } from "./accounts/sign-in.tsx";
import { getTokens, postTokens } from "./accounts/tokens.tsx";
import { getAudit } from "./admin/audit.tsx";
import { getAdminChecks, postReload } from "./admin/checks.tsx";
import { getAdminOverview, postDoctor } from "./admin/overview.tsx";
import { postAdminCancel } from "./admin/queue.tsx";
import { getAdminSettings } from "./admin/settings.tsx";
import { getAdminUsers, postInvitation, postUserPlan, postUserState } from "./admin/users.tsx";
import { getAdminWorkers, postWorkerState } from "./admin/workers.tsx";
import { getBrand, getBrandLogo, postBrand, postRemoveBrand } from "./agency/brand.tsx";
import { getAccept, postAccept } from "./agency/member-invitation.tsx";
import { getMembers, postMembers } from "./agency/members.tsx";
import { assetAnswer, assets } from "./assets.ts";
import { getBadge } from "./badge/badge.ts";
import { getChannels, postChannels } from "./channels/channels.tsx";
import { getDeliveries, postDeliveries } from "./channels/deliveries.tsx";
import { getConfirmation, getUnsubscribe, postConfirmation, postUnsubscribe } from "./channels/mail-links.tsx";
import { getRules, postRules } from "./channels/rules.tsx";
import { getSiteMetrics } from "./channels/site-metrics.ts";
import type { PageRoute } from "./guards.ts";
import { getHome } from "./home.tsx";
import { getRobotsTxt, getSecurityTxt, legalPage } from "./legal.tsx";
import { oidcCallbackPath } from "./link-paths.ts";
import { getPlans } from "./plans.tsx";
import { getOwnProofs, pictureOfProof, postCancelProof, proofOf, proofPage, proofState } from "./proofs/proof.tsx";
import { postProof } from "./proofs/start.tsx";
import { getAbout } from "./reference/about.tsx";
import { getApiReference } from "./reference/api-reference.tsx";
import { getCheck } from "./reference/check.tsx";
import { getChecks } from "./reference/checks.tsx";
import { getMigration } from "./reference/migrate.tsx";
import { createScanEvents } from "./scans/events.ts";
import { getHost } from "./scans/host.tsx";
import { getPublicList } from "./scans/list.tsx";
import { createPostScan } from "./scans/new.tsx";
import { getOwnScans } from "./scans/own.tsx";
import { comparePage } from "./scans/report/compare-page.tsx";
import { screenshotAnswer, shareImageAnswer } from "./scans/report/images.ts";
import { getSample } from "./scans/report/sample-page.tsx";
import { createGetReport, isDownload, onScan, stateAnswer } from "./scans/scan.tsx";
import { postCancel } from "./scans/waiting.tsx";
import type { PagesSettings } from "./settings.ts";
import { getClient, getClientLogo, getClientReportHtml, getClientReportPdf } from "./sites/client.tsx";
import { getEditSite, getNewSite, postEditSite, postNewSite, siteFormBytesMax } from "./sites/edit-site.tsx";
import { getImport, importBytesMax, postImport } from "./sites/import.tsx";
import { getSites } from "./sites/list.tsx";
import { bulkBytesMax, postSite, postSites } from "./sites/site-actions.ts";
import { getSite } from "./sites/site-page.tsx";

/** Pages of the own account: the session alone decides what they show. */
const accountRoutes: readonly PageRoute[] = [
  { path: "/account", audience: "accounts", get: getProfile, post: postProfile },
  { path: "/account/brand", audience: "accounts", get: getBrand, upload: postBrand },
  { path: "/account/brand/remove", audience: "accounts", post: postRemoveBrand },
  { path: "/account/channels", audience: "accounts", get: getChannels, post: postChannels },
  { path: "/account/deliveries", audience: "accounts", get: getDeliveries, post: postDeliveries },
  { path: "/account/members", audience: "accounts", get: getMembers, post: postMembers },
  { path: "/account/proofs", audience: "accounts", get: getOwnProofs },
  { path: "/account/rules", audience: "accounts", get: getRules, post: postRules },
  { path: "/account/scans", audience: "accounts", get: getOwnScans },
  { path: "/account/second-factor", audience: "accounts", get: getSecondFactor, post: postSecondFactor },
  { path: "/account/tokens", audience: "accounts", get: getTokens, post: postTokens },
];

/** A proof is for its account, and one of a guest for all who know its token. */
const proofRoutes: readonly PageRoute[] = [
  { path: "/proofs", audience: "readers", post: postProof },
  { path: "/proofs/:token", audience: "readers", get: (visit, token) => proofPage(visit, proofOf(visit, token)) },
  { path: "/proofs/:token/cancel", audience: "readers", post: postCancelProof },
  { path: "/proofs/:token/before", audience: "readers", isData: () => true, get: pictureOfProof("before") },
  { path: "/proofs/:token/after", audience: "readers", isData: () => true, get: pictureOfProof("after") },
  { path: "/proofs/:token/state", audience: "readers", isData: () => true, get: proofState },
];

export function pageRoutes(settings: PagesSettings): readonly PageRoute[] {
  return [
    { path: "/", audience: "everybody", get: getHome },
    { path: "/about", audience: "everybody", get: getAbout },
    ...accountRoutes,
    { path: "/admin", audience: "administrators", get: getAdminOverview },
    { path: "/admin/audit", audience: "administrators", get: getAudit },
    { path: "/admin/checks", audience: "administrators", get: getAdminChecks },
    { path: "/admin/checks/reload", audience: "administrators", post: postReload },
    { path: "/admin/doctor", audience: "administrators", post: postDoctor },
    { path: "/admin/invitations", audience: "administrators", post: postInvitation },
    { path: "/admin/scans/:token/cancel", audience: "administrators", post: postAdminCancel },
    { path: "/admin/settings", audience: "administrators", get: getAdminSettings },
    { path: "/admin/users", audience: "administrators", get: getAdminUsers },
    { path: "/admin/users/:id/plan", audience: "administrators", post: postUserPlan },
    { path: "/admin/users/:id/state", audience: "administrators", post: postUserState },
    { path: "/admin/workers", audience: "administrators", get: getAdminWorkers },
    { path: "/admin/workers/:id/state", audience: "administrators", post: postWorkerState },
    { path: "/api", audience: "everybody", get: getApiReference },
    // Without the setting `readers = "everybody"` it shows nothing of a scan.
    { path: "/badge/:file", audience: "everybody", get: getBadge },
    { path: "/brands/:id/logo.png", audience: "accounts", get: getBrandLogo },
    { path: "/checks", audience: "everybody", get: getChecks },
    { path: "/checks/:key", audience: "everybody", get: getCheck },
    { path: "/clients/:name", audience: "members", get: getClient },
    { path: "/clients/:name/logo.png", audience: "members", get: getClientLogo },
    { path: "/clients/:name/report.html", audience: "members", get: getClientReportHtml },
    { path: "/clients/:name/report.pdf", audience: "members", get: getClientReportPdf },
    { path: "/forgotten", audience: "everybody", get: getForgotten, post: createPostForgotten(settings) },
    // Readers of mails need no account: the key of the link is their permission.
    { path: "/confirm-channel/:name", audience: "everybody", get: getConfirmation, post: postConfirmation },
    { path: "/hosts/:host", audience: "readers", get: getHost },
    { path: "/imprint", audience: "everybody", get: (visit) => legalPage(visit, "imprint") },
    { path: acceptMemberPath, audience: "everybody", get: getAccept, post: postAccept },
    // A token of its own, of which each belongs to one account.
    { path: "/metrics/sites", audience: "everybody", get: getSiteMetrics },
    { path: "/migrate", audience: "everybody", get: getMigration },
    { path: "/plans", audience: "everybody", get: getPlans },
    { path: "/privacy", audience: "everybody", get: (visit) => legalPage(visit, "privacy") },
    ...proofRoutes,
    { path: "/reset", audience: "everybody", get: getReset, post: postReset },
    { path: "/sample", audience: "everybody", get: getSample },
    { path: "/scans", audience: "readers", get: getPublicList, post: createPostScan(settings) },
    { path: "/scans/:token", audience: "readers", isData: isDownload, get: createGetReport(settings) },
    { path: "/scans/:token/cancel", audience: "readers", post: onScan(postCancel) },
    { path: "/scans/:token/compare", audience: "readers", get: onScan(comparePage) },
    { path: "/scans/:token/events", audience: "readers", isData: () => true, get: onScan(createScanEvents()) },
    { path: "/scans/:token/image.png", audience: "readers", isData: () => true, get: onScan(shareImageAnswer) },
    { path: "/scans/:token/screenshot", audience: "readers", isData: () => true, get: onScan(screenshotAnswer) },
    { path: "/scans/:token/state", audience: "readers", isData: () => true, get: onScan(stateAnswer) },
    { path: "/setup", audience: "everybody", get: getSetup, post: postSetup },
    { path: "/sign-in", audience: "everybody", get: getSignIn, post: postSignIn },
    { path: "/sign-in/oidc", audience: "everybody", get: getOidcStart },
    { path: oidcCallbackPath, audience: "everybody", get: getOidcCallback },
    { path: "/sign-in/oidc/link", audience: "everybody", get: getSecondStep, post: postOidcLink },
    { path: "/sign-in/code", audience: "everybody", get: getSecondStep, post: postSecondStep },
    { path: "/sign-out", audience: "everybody", get: getSignOut, post: postSignOut },
    { path: "/sign-up", audience: "everybody", get: getSignUp, post: postSignUp },
    { path: "/sites", audience: "members", formBytesMax: bulkBytesMax, get: getSites, post: postSites },
    { path: "/sites/import", audience: "editors", formBytesMax: importBytesMax, get: getImport, post: postImport },
    { path: "/sites/new", audience: "editors", formBytesMax: siteFormBytesMax, get: getNewSite, post: postNewSite },
    { path: "/sites/:id", audience: "siteMembers", get: getSite, post: postSite },
    { path: "/sites/:id/edit", audience: "siteEditors", formBytesMax: siteFormBytesMax, get: getEditSite, post: postEditSite },
    { path: "/unsubscribe/:name", audience: "everybody", get: getUnsubscribe, post: postUnsubscribe },
    { path: "/robots.txt", audience: "everybody", get: getRobotsTxt },
    { path: "/.well-known/security.txt", audience: "everybody", get: getSecurityTxt },
    ...assets.map((asset): PageRoute => ({ path: asset.path, audience: "everybody", get: (visit) => assetAnswer(visit, asset) })),
  ];
}
