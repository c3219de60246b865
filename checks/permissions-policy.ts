/** Checks that frames of other sites cannot use camera, microphone, location, payments and USB. */
import { passed, registerCheck, replaceHeader, setHeader, violated } from "assay/check";
import { parseStructuredDictionary } from "assay/check/parsers";

/** Features with the highest risk for visitors. */
const powerfulFeatures = ["camera", "microphone", "geolocation", "payment", "usb"];

const closed = powerfulFeatures.map((feature) => `${feature}=()`).join(", ");

/** Chromium 153, `permissions_policy_features.json5`, with features behind flags, in trials and for isolated apps; November 2026. */
const chromiumFeatures = `
  accelerometer all-screens-capture ambient-light-sensor aria-notify autofill autoplay bluetooth browsing-topics camera
  captured-surface-control ch-device-memory ch-downlink ch-dpr ch-ect ch-prefers-color-scheme ch-prefers-reduced-motion
  ch-prefers-reduced-transparency ch-rtt ch-save-data ch-ua ch-ua-arch ch-ua-bitness ch-ua-form-factors ch-ua-full-version
  ch-ua-full-version-list ch-ua-high-entropy-values ch-ua-mobile ch-ua-model ch-ua-platform ch-ua-platform-version ch-ua-wow64
  ch-viewport-height ch-viewport-width ch-width clipboard-read clipboard-write compute-pressure controlled-frame cross-origin-isolated
  deferred-fetch deferred-fetch-minimal device-attributes digital-credentials-create digital-credentials-get direct-sockets
  direct-sockets-multicast display-capture encrypted-media execution-while-not-rendered execution-while-out-of-viewport
  focus-without-user-activation frobulate fullscreen gamepad geolocation gyroscope haptics hid identity-credentials-get idle-detection
  keyboard-map language-detector language-model local-fonts local-network local-network-access loopback-network magnetometer manual-text
  media-playback-while-not-visible microphone midi on-device-speech-recognition otp-credentials payment picture-in-picture
  private-state-token-issuance private-state-token-redemption publickey-credentials-create publickey-credentials-get rewriter
  screen-wake-lock serial shared-storage shared-storage-select-url smart-card speaker-selection storage-access sub-apps summarizer
  sync-xhr tools translator unload usb usb-unrestricted vertical-scroll web-app-installation web-printing web-share webnn
  window-management writer xr-spatial-tracking
`;

/**
 * Other names in Firefox (`FeaturePolicyUtils.cpp`) and WebKit (`PermissionsPolicy.cpp`), also behind preferences; November 2026. WebKit
 * reads them in the attribute `allow` only.
 */
const otherFeatures = `
  cross-origin-storage document-domain private-token vr
`;

/** Features that Chromium removed or renamed since 2023: older browsers still know them. */
const removedFeatures = `
  attribution-reporting direct-sockets-private fenced-unpartitioned-storage-read join-ad-interest-group popins private-aggregation
  record-ad-auction-events run-ad-auction shared-autofill trust-token-redemption window-placement
`;

/**
 * Features for which a directive can have an effect (Permissions Policy section 9.2: others are skipped). `interest-cohort` is left out:
 * FLoC ended in 2022, and Chromium keeps the name only as an alias of `browsing-topics`, for advertising.
 */
const knownFeatures = new Set(`${chromiumFeatures} ${otherFeatures} ${removedFeatures}`.trim().split(/\s+/));

export default registerCheck({
  key: "permissions-policy",
  weight: 2,
  area: "headers",
  standards: ["W3C Permissions Policy", "RFC 9651"],
  appliesTo: ["html"],
  reads: ["page"],
  headers: ["permissions-policy"],
  findings: {
    "security.missing-header.permissions-policy": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
    "security.invalid-header.permissions-policy": { severity: "low", riskLevel: "low", effort: "low", cwe: 693 },
    "security.invalid-header.permissions-policy-retired": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
    "security.weak-header.permissions-policy": { severity: "low", riskLevel: "low", effort: "medium", cwe: 693 },
  },
  fixes: {
    "security.missing-header.permissions-policy": [setHeader("Permissions-Policy", closed)],
    "security.invalid-header.permissions-policy": [replaceHeader("Permissions-Policy", closed)],
    "security.weak-header.permissions-policy": [replaceHeader("Permissions-Policy", closed)],
    "security.invalid-header.permissions-policy-retired": [replaceHeader("Permissions-Policy", closed)],
  },
  judge({ headers }) {
    const fields = headers["permissions-policy"];
    if (fields.length === 0) return violated("security.missing-header.permissions-policy");
    const policy = parseStructuredDictionary(fields);
    // Without a directive the header restricts nothing, even if well-formed.
    if (policy === null || policy.size === 0) return violated("security.invalid-header.permissions-policy", { value: fields.join(", ") });
    if (![...policy.keys()].some((feature) => knownFeatures.has(feature)))
      return violated("security.invalid-header.permissions-policy-retired", { value: fields.join(", ") });
    // The token * means every origin, also inside a list. A feature without a directive keeps its default, the page's own origin.
    const open = powerfulFeatures.filter((feature) =>
      policy.get(feature)?.some((member) => member.kind === "token" && member.token === "*"),
    );
    return open.length === 0 ? passed() : violated("security.weak-header.permissions-policy", { features: open.join(", ") });
  },
});
