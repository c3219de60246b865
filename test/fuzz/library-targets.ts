/** Fuzz targets for versions of script libraries, and for their advisories. */
import * as scriptLibraries from "../../src/parse/script-libraries.ts";
import type { FuzzTarget } from "./target.ts";

/** Words of an input that are taken for versions. */
const wordsMax = 10;
/** The versions in a text, and a range of the first two. */
const versionsIn = (text: string) => text.split(" ", wordsMax).flatMap((word) => scriptLibraries.parseLibraryVersion(word) ?? []);
const rangeOf = (text: string) => {
  const [below = "", atOrAbove = null, ...excludes] = text.split(" ", wordsMax);
  return { atOrAbove, below, excludes };
};
const advisoryFile = '{"jquery":{"advisories":[{"atOrAbove":"1.2.0","below":"3.5.0","severity":"medium","ids":["CVE-2020-11022"]}]}}';

export const libraryTargets: readonly FuzzTarget[] = [
  {
    name: "library-version",
    tokens: [..."v.-+0123456789 ", "999", "rc", "beta", "b", "canary", "3.5.0", "1.12.4"],
    samples: ["1.12.4 3.0.0-rc.1 1.9.0b1", "3.999.999 v3.5 1.2.3+a 20.0.0-next.0.0.0"],
    functions: {
      parseLibraryVersion: scriptLibraries.parseLibraryVersion,
      compareLibraryVersions: (text) => {
        const [one, other] = versionsIn(text);
        return one !== undefined && other !== undefined && scriptLibraries.compareLibraryVersions(one, other);
      },
      isVersionIn: (text) => versionsIn(text).map((version) => scriptLibraries.isVersionIn(version, rangeOf(text))),
      firstVersionOutside: (text) => versionsIn(text).map((version) => scriptLibraries.firstVersionOutside(version, [rangeOf(text)])),
    },
    properties: {
      "a version equals itself": (text) =>
        versionsIn(text).every((version) => scriptLibraries.compareLibraryVersions(version, version) === 0),
      "two versions have one order": (text) => {
        const [one, other] = versionsIn(text);
        if (one === undefined || other === undefined) return true;
        const { compareLibraryVersions: compare } = scriptLibraries;
        return Math.sign(compare(one, other)) === -Math.sign(compare(other, one));
      },
      "the order is transitive": (text) => {
        const [one, two, three] = versionsIn(text);
        if (one === undefined || two === undefined || three === undefined) return true;
        const { compareLibraryVersions: compare } = scriptLibraries;
        return !(compare(one, two) <= 0 && compare(two, three) <= 0) || compare(one, three) <= 0;
      },
      "the first version outside is later and outside": (text) => {
        const range = rangeOf(text);
        return versionsIn(text).every((version) => {
          const first = scriptLibraries.parseLibraryVersion(scriptLibraries.firstVersionOutside(version, [range]) ?? "");
          return (
            first === null || (scriptLibraries.compareLibraryVersions(first, version) > 0 && !scriptLibraries.isVersionIn(first, range))
          );
        });
      },
    },
  },
  {
    name: "script-advisories",
    tokens: [...'{}[]:,"<>=! ', "below", "severity", "ids", "atOrAbove", "advisories", "jquery", "3.5.0", "medium", "CVE-2020-11022"],
    samples: [advisoryFile, ">=1.12.0 <3.5.0 !=2.2.4 medium CVE-2020-11022"],
    functions: {
      parseAdvisoriesFile: scriptLibraries.parseAdvisoriesFile,
      parseAdvisoryLine: scriptLibraries.parseAdvisoryLine,
      advisoryLine: (text) => {
        const advisory = scriptLibraries.parseAdvisoryLine(text);
        return advisory === null ? null : scriptLibraries.advisoryLine(advisory);
      },
    },
    properties: {
      "each line of a file is an advisory": (text) => {
        const read = scriptLibraries.parseAdvisoriesFile(text);
        if (!("libraries" in read)) return true;
        return Object.values(read.libraries).every((lines) => lines.every((line) => scriptLibraries.parseAdvisoryLine(line) !== null));
      },
    },
  },
];
