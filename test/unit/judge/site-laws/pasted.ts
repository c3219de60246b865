/** Follows remediations: applies their lines for a server, and their DNS records and files, to a modelled site. */
import type { StoredFinding } from "../../../../src/judge/result.ts";
import { remediationOf } from "../../../support/remediations.ts";
import type { Change } from "./changes.ts";
import { type Server, servers, withServerLine } from "./server-lines.ts";
import { host, policyHost, type Site } from "./site.ts";

const owners = ["@", "_dmarc", "_mta-sts", "_smtp._tls"] as const;

/** One change for each finding and server: all lines of its remediation for that server, DNS and files. */
export function pastedChanges(site: Site, findings: readonly StoredFinding[]): readonly Change[] {
  return findings.flatMap((finding) => {
    const lines = filledLines(finding);
    return servers
      .map((server) => ({ name: `lines of ${finding.code} for ${server}`, after: withLines(site, server, lines) }))
      .filter(({ after }) => !Bun.deepEquals(after, site));
  });
}

/** Lines of a remediation, with the values of the finding. */
function filledLines({ code, values }: StoredFinding): readonly string[] {
  return remediationOf(code, { ...values, host })
    .split("\n")
    .slice(1);
}

export function withLines(site: Site, server: Server, lines: readonly string[]): Site {
  const files = new Map<string, readonly string[]>();
  let after = site;
  for (const line of lines) {
    const [, target = "", rest = ""] = /^([\w.-]+): (.*)$/.exec(line) ?? [];
    if (target === server) after = withServerLine(after, server, rest);
    if (target === "DNS") after = withRecord(after, rest);
    if (target.endsWith(".txt")) files.set(target, [...(files.get(target) ?? []), rest]);
  }
  return withFiles(after, files);
}

/** Replaces the records of that kind; CAA records are added. */
function withRecord(site: Site, line: string): Site {
  const [, owner = "", text] = /^(\S+)\.? IN TXT "(.*)"$/.exec(line) ?? [];
  const [, tag, value = ""] = / IN CAA \d+ (\w+) "(.*)"$/.exec(line) ?? [];
  if (tag !== undefined) return { ...site, caa: [...site.caa.filter(([other]) => other !== tag), [tag, value]] };
  if (line.startsWith(policyHost)) return site;
  if (text === undefined) return site;
  const name = owner.replace(/\.$/, "");
  const kind = owners.find((one) => name === (one === "@" ? host : `${one}.${host}`));
  return kind === undefined ? site : { ...site, texts: { ...site.texts, [kind]: [text] } };
}

function withFiles(site: Site, files: ReadonlyMap<string, readonly string[]>): Site {
  const policy = files.get("mta-sts.txt");
  const contact = files.get("security.txt");
  const bodyOf = (lines: readonly string[]) => `${lines.join("\r\n")}\r\n`;
  return {
    ...site,
    mtaStsPolicy: policy === undefined ? site.mtaStsPolicy : bodyOf(policy),
    securityTxt: contact === undefined ? site.securityTxt : withSecurityTxt(site.securityTxt, contact),
  };
}

/** Lines replace the fields of their names; a complete file begins with Contact. */
function withSecurityTxt(before: Site["securityTxt"], lines: readonly string[]): Site["securityTxt"] {
  const names = lines.map((line) => line.split(":", 1)[0]);
  const kept = (before?.body.split("\r\n") ?? []).filter((line) => line !== "" && !names.includes(line.split(":", 1)[0]));
  const body = `${[...kept, ...lines].join("\r\n")}\r\n`;
  const { at = "well-known", contentType = "text/plain; charset=utf-8", redirectedTo = null } = before ?? {};
  return { at, contentType, body, redirectedTo };
}
