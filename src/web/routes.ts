/** Every path of the pages and its handlers: a new page is one file and one line here. */
import { getProfile, postProfile } from "./account/profile/profile.tsx";
import { getReset, postReset } from "./account/registration/reset.tsx";
import { getSetup, postSetup } from "./account/registration/setup.tsx";
import { getSignUp, postSignUp } from "./account/registration/sign-up.tsx";
import { getSecondFactor, postSecondFactor } from "./account/second-factor/second-factor.tsx";
import { getSecondStep, postSecondStep } from "./account/sign-in/second-step.tsx";
import { getSignIn, postSignIn } from "./account/sign-in/sign-in.tsx";
import { getSignOut, postSignOut } from "./account/sign-in/sign-out.tsx";
import { getTokens, postTokens } from "./account/tokens/tokens.tsx";
import { getAdminChecks, postReload } from "./admin/checks.tsx";
import { getAdminOverview, postDoctor } from "./admin/overview.tsx";
import { getAdminSettings } from "./admin/settings.tsx";
import { getAdminUsers, postInvitation, postUserPlan, postUserState } from "./admin/users.tsx";
import { assetAnswer, assets } from "./assets.ts";
import { getHome } from "./home.tsx";
import { legalPage } from "./legal.tsx";
import { getPlans } from "./plans.tsx";
import { getAbout } from "./reference/about.tsx";
import { getApiReference } from "./reference/api-reference.tsx";
import { getCheck } from "./reference/check.tsx";
import { getChecks } from "./reference/checks.tsx";
import { getMigration } from "./reference/migrate.tsx";
import { comparePage } from "./report/compare/compare-page.tsx";
import { getSample } from "./report/sample-page.tsx";
import { screenshotAnswer } from "./report/screenshot.tsx";
import { shareImageAnswer } from "./report/share-image.ts";
import { getReport, onScan, stateAnswer } from "./scan.tsx";
import { postCancel } from "./scanning/cancel-scan.tsx";
import { createScanEvents } from "./scanning/scan-events.ts";
import { createPostScan } from "./scanning/start-scan.tsx";
import { getHost } from "./scans/host.tsx";
import { getOwnScans } from "./scans/own-scans.tsx";
import { getPublicList } from "./scans/public-list.tsx";
import type { PagesSettings } from "./settings.ts";
import type { PageHandler } from "./visit.ts";
import { getRobotsTxt, getSecurityTxt } from "./well-known.ts";

export interface PageRoute {
  /** At most one placeholder, as in `/checks/:key`. */
  readonly path: string;
  readonly get?: PageHandler;
  readonly post?: PageHandler;
}

export function pageRoutes(settings: PagesSettings): readonly PageRoute[] {
  return [
    { path: "/", get: getHome },
    { path: "/about", get: getAbout },
    { path: "/account", get: getProfile, post: postProfile },
    { path: "/account/scans", get: getOwnScans },
    { path: "/account/second-factor", get: getSecondFactor, post: postSecondFactor },
    { path: "/account/tokens", get: getTokens, post: postTokens },
    { path: "/admin", get: getAdminOverview },
    { path: "/admin/checks", get: getAdminChecks },
    { path: "/admin/checks/reload", post: postReload },
    { path: "/admin/doctor", post: postDoctor },
    { path: "/admin/invitations", post: postInvitation },
    { path: "/admin/settings", get: getAdminSettings },
    { path: "/admin/users", get: getAdminUsers },
    { path: "/admin/users/:id/plan", post: postUserPlan },
    { path: "/admin/users/:id/state", post: postUserState },
    { path: "/api", get: getApiReference },
    { path: "/checks", get: getChecks },
    { path: "/checks/:key", get: getCheck },
    { path: "/hosts/:host", get: getHost },
    { path: "/imprint", get: (visit) => legalPage(visit, "imprint") },
    { path: "/migrate", get: getMigration },
    { path: "/plans", get: getPlans },
    { path: "/privacy", get: (visit) => legalPage(visit, "privacy") },
    { path: "/reset", get: getReset, post: postReset },
    { path: "/sample", get: getSample },
    { path: "/scans", get: getPublicList, post: createPostScan(settings) },
    { path: "/scans/:token", get: getReport },
    { path: "/scans/:token/cancel", post: onScan(postCancel) },
    { path: "/scans/:token/compare", get: onScan(comparePage) },
    { path: "/scans/:token/events", get: onScan(createScanEvents()) },
    { path: "/scans/:token/image.png", get: onScan(shareImageAnswer) },
    { path: "/scans/:token/screenshot", get: onScan(screenshotAnswer) },
    { path: "/scans/:token/state", get: onScan(stateAnswer) },
    { path: "/setup", get: getSetup, post: postSetup },
    { path: "/sign-in", get: getSignIn, post: postSignIn },
    { path: "/sign-in/code", get: getSecondStep, post: postSecondStep },
    { path: "/sign-out", get: getSignOut, post: postSignOut },
    { path: "/sign-up", get: getSignUp, post: postSignUp },
    { path: "/robots.txt", get: getRobotsTxt },
    { path: "/.well-known/security.txt", get: getSecurityTxt },
    ...assets.map((asset): PageRoute => ({ path: asset.path, get: (visit) => assetAnswer(visit, asset) })),
  ];
}
