/** Checks that the script libraries of the page have no published vulnerability. */
import { distinct, type FindingCode, finding, notApplicable, registerCheck, type ScriptLibrary, violatedBy } from "assay/check";
import {
  type AdvisorySeverity,
  advisorySeverities,
  dayMs,
  firstVersionOutside,
  isVersionIn,
  type LibraryAdvisory,
  parseLibraryVersion,
} from "assay/check/parsers";

/** After this, a library without an advisory in the list is no sign of safety. */
const listAgeDaysMax = 366;
/** Identifiers that a finding lists; one has at most 19 characters. */
const identifiersMax = 8;

const codeOfWorst = {
  critical: "security.content.vulnerable-library-high",
  high: "security.content.vulnerable-library-high",
  medium: "security.content.vulnerable-library-medium",
  low: "security.content.vulnerable-library-low",
} as const satisfies Readonly<Record<AdvisorySeverity, FindingCode>>;

export default registerCheck({
  key: "script-libraries",
  weight: 4,
  area: "content",
  standards: ["OWASP Top 10 2021, A06", "CWE-1395"],
  appliesTo: ["html"],
  reads: ["scriptLibraries"],
  findings: {
    "security.content.vulnerable-library-unfixed": { severity: "high", riskLevel: "medium", effort: "high", cwe: 1395 },
    "security.content.vulnerable-library-high": { severity: "high", riskLevel: "medium", effort: "high", cwe: 1395 },
    "security.content.vulnerable-library-medium": { severity: "medium", riskLevel: "medium", effort: "high", cwe: 1395, weight: 3 },
    "security.content.vulnerable-library-low": { severity: "low", riskLevel: "low", effort: "high", cwe: 1395, weight: 1 },
  },
  judge({ subject, scriptLibraries: { advisoriesDate, libraries, librariesDropped, bannersUnread, variablesRead } }) {
    const vulnerable = libraries.map((library) => ({ library, affecting: worstFirst(affectingAdvisories(library)) }));
    const found = vulnerable
      .filter(({ affecting }) => affecting.length > 0)
      .sort((one, other) => rankOf(one.affecting[0]) - rankOf(other.affecting[0]))
      .map(({ library, affecting }) => foundIn(library, affecting, advisoriesDate));
    const isOld = Date.parse(subject.scannedAt) - Date.parse(advisoriesDate) > listAgeDaysMax * dayMs;
    const complete = librariesDropped === 0 && bannersUnread === 0 && variablesRead && !isOld;
    return libraries.length === 0 && complete ? notApplicable() : violatedBy(found, complete);
  },
});

function affectingAdvisories({ version, advisories }: ScriptLibrary): readonly LibraryAdvisory[] {
  const own = parseLibraryVersion(version);
  return own === null ? [] : advisories.filter((advisory) => isVersionIn(own, advisory));
}

function worstFirst(advisories: readonly LibraryAdvisory[]): readonly LibraryAdvisory[] {
  return [...advisories].sort((one, other) => rankOf(one) - rankOf(other));
}

function rankOf(advisory: LibraryAdvisory | undefined): number {
  return advisory === undefined ? advisorySeverities.length : advisorySeverities.indexOf(advisory.severity);
}

/** `affecting` is sorted by severity, the worst first, and not empty. */
function foundIn({ name, version, advisories }: ScriptLibrary, affecting: readonly LibraryAdvisory[], date: string) {
  const identifiers = [...new Set(affecting.flatMap((advisory) => advisory.identifiers))];
  const more = identifiers.length > identifiersMax ? ", ..." : "";
  const values = {
    library: name,
    version,
    // The same advisory may have several ranges.
    total: new Set(affecting.map((advisory, at) => advisory.identifiers.join() || at)).size,
    identifiers: identifiers.length === 0 ? "-" : distinct(identifiers.slice(0, identifiersMax)) + more,
    date,
  };
  const own = parseLibraryVersion(version);
  const fixedIn = own === null ? null : firstVersionOutside(own, advisories);
  if (fixedIn === null) return finding("security.content.vulnerable-library-unfixed", values);
  return finding(codeOfWorst[affecting[0]?.severity ?? "low"], { ...values, fixedIn });
}
