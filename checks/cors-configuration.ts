/** Checks which other origins may read the site's answers, based on a cross-origin request. */
import { notApplicable, notChecked, passed, registerCheck, removeHeader, replaceHeader, violated } from "assay/check";
import { fieldsNamed, isOpenOrigin } from "assay/check/parsers";

/** Other sites read what the visitor sees. */
const open = { severity: "high", riskLevel: "high", effort: "low", cwe: 942, weight: 15, scoreCap: 60 } as const;

export default registerCheck({
  key: "cors-configuration",
  weight: 4,
  area: "headers",
  standards: ["Fetch: CORS check"],
  reads: ["crossOrigin"],
  findings: {
    "security.cors.reflected-origin-with-credentials": { ...open, effort: "medium" },
    "security.cors.null-origin-with-credentials": open,
    "security.cors.open-host-with-credentials": { ...open, effort: "medium" },
    "security.cors.null-origin": { severity: "low", riskLevel: "low", effort: "low", cwe: 942 },
    "security.cors.wildcard-with-credentials": { severity: "low", riskLevel: "low", effort: "low", cwe: 942 },
  },
  fixes: {
    "security.cors.reflected-origin-with-credentials": [replaceHeader("Access-Control-Allow-Origin", "https://app.example")],
    "security.cors.null-origin-with-credentials": [replaceHeader("Access-Control-Allow-Origin", "https://app.example")],
    "security.cors.open-host-with-credentials": [replaceHeader("Access-Control-Allow-Origin", "https://app.example")],
    "security.cors.null-origin": [replaceHeader("Access-Control-Allow-Origin", "https://app.example")],
    "security.cors.wildcard-with-credentials": [removeHeader("Access-Control-Allow-Credentials")],
  },
  judge({ crossOrigin }) {
    const allowOrigin = fieldsNamed(crossOrigin.headers, "access-control-allow-origin");
    const allowCredentials = fieldsNamed(crossOrigin.headers, "access-control-allow-credentials");
    if (allowOrigin.length === 0) return notApplicable();
    if ([...allowOrigin, ...allowCredentials].some((field) => field.truncated)) return notChecked();

    // Fetch standard, "CORS check": joined fields are compared as they are. Two origins match none, and only "true" is true.
    const origin = allowOrigin.map((field) => field.value).join(", ");
    const withCredentials = allowCredentials.map((field) => field.value).join(", ") === "true";
    const { originSent } = crossOrigin;
    // Any page can send requests from the origin "null" with a sandboxed frame.
    if (origin === "null") return violated(withCredentials ? "security.cors.null-origin-with-credentials" : "security.cors.null-origin");
    // Without credentials, a reflected origin exposes only what `*` exposes.
    if (!withCredentials) return passed();
    if (origin === originSent) return violated("security.cors.reflected-origin-with-credentials", { originSent });
    if (isOpenOrigin(origin)) return violated("security.cors.open-host-with-credentials", { origin });
    return origin === "*" ? violated("security.cors.wildcard-with-credentials") : passed();
  },
});
