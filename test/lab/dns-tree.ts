/**
 * A private DNS on loopback: Debian's NSD serves a signed root, and two unbound resolvers trust only that root.
 *
 *     const tree = await startDnsTree([
 *       {
 *         name: "assay-sound-site.org",
 *         records: `
 *           @        IN A   127.0.0.1
 *           @        IN TXT "v=spf1 -all"
 *           _dmarc   IN TXT "v=DMARC1; p=reject"
 *           @        IN CAA 0 issue "ca.example"`,
 *       },
 *       { name: "assay-forged-site.org", records: `@ IN TXT "v=spf1 -all"`, delegation: "wrong-ds" },
 *     ]);
 *     const egress = egressTo({ "assay-sound-site.org:443": site }, { dnsServers: [tree.resolver] });
 *     ...
 *     await tree.stop();
 *
 * Records are zone-file lines relative to the zone's name, with a TTL of 60. SOA, NS and the name server's address are added.
 * Parents (`org`, `co.uk` ...) are generated: the top-level domain as a signed zone, other labels as names in it.
 * A zone below another one of the list is delegated from there. Names look public, but no query leaves this machine.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askDns, authenticData, type DnsServer, dnssecOk } from "../../src/egress/dns-client.ts";
import type { DnsQuestion } from "../../src/egress/dns-message.ts";
import { freeDnsPort, isListening, type ServerProcess, startProcess } from "../support/server-process.ts";

export type Delegation =
  /** Signed, with a DS record in the parent. */
  | "secure"
  /** Signed, without a DS record in the parent. */
  | "island"
  /** Neither signed nor with a DS record. */
  | "unsigned"
  /** Not signed, although the parent has a DS record. */
  | "stripped"
  /** All signatures expired a month ago. */
  | "expired"
  /** All signatures expired a month ago, except the signatures of the keys. */
  | "expired-records"
  /** The DS record in the parent belongs to another key. */
  | "wrong-ds";

export interface DnsZone {
  /** Name without a trailing dot. */
  readonly name: string;
  readonly records: string;
  /** Default: `secure`. */
  readonly delegation?: Delegation;
  /** Default: `ECDSAP256SHA256`. */
  readonly algorithm?: "ECDSAP256SHA256" | "RSASHA256";
  /** Proof that a name does not exist. Default: `NSEC`. */
  readonly denial?: "NSEC" | "NSEC3";
  /** Replacement in the signed zone file: every occurrence of the first text becomes the second. */
  readonly tampered?: readonly [string, string];
  /** The server lacks the zone's file, so that it answers SERVFAIL. */
  readonly unloadable?: boolean;
  /** `127.0.0.1:<port>` of another server with the zone's records. */
  readonly servedBy?: string;
}

export interface DnsTree {
  /** `127.0.0.1:<port>` of a resolver that validates from the private root, as in `dnsServers`. */
  readonly resolver: string;
  /** A resolver without validation. */
  readonly nonValidatingResolver: string;
  stop(): Promise<void>;
}

const day = 86_400;

/** Signs and serves the zones; stops all servers if one of them does not start. */
export async function startDnsTree(zones: readonly DnsZone[]): Promise<DnsTree> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-dns-"));
  const running: ServerProcess[] = [];
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { all, files, trustAnchor } = await signTree(folder, zones);
    const nameServer = await startNsd(folder, files);
    running.push(nameServer);
    // Each zone is a stub zone: referrals would lead the resolver to port 53.
    const stubs = all.map(({ name, servedBy }) => ({ name: `${name}.`, address: servedBy ?? nameServer.address }));
    const resolverOf = (kind: string, modules: string) => startUnbound({ file: join(folder, `${kind}.conf`), modules, trustAnchor, stubs });
    const validating = await resolverOf("validating", "validator iterator");
    running.push(validating);
    const unvalidating = await resolverOf("unvalidating", "iterator");
    running.push(unvalidating);
    return { resolver: validating.address, nonValidatingResolver: unvalidating.address, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A name server without zones that refuses every query, for lame delegations. */
export async function startRefusingServer(): Promise<NameServer> {
  const folder = mkdtempSync(join(tmpdir(), "assay-lab-lame-"));
  try {
    const server = await startNsd(folder, []);
    return {
      ...server,
      async stop() {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

interface NameServer extends ServerProcess {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
}

interface ZoneFile {
  readonly name: string;
  readonly path: string;
}

interface Signed {
  /** The given zones and their parents. */
  readonly all: readonly DnsZone[];
  readonly files: readonly ZoneFile[];
  /** The root's key, as a DS record. */
  readonly trustAnchor: string;
}

/** Signs from the leaves up, because a parent contains the DS records of its children. */
async function signTree(folder: string, leaves: readonly DnsZone[]): Promise<Signed> {
  const zones = [...leaves, ...parentZones(leaves)].sort((one, other) => depth(other.name) - depth(one.name));
  const delegations = new Map<string, string[]>(zones.map(({ name }) => [name, []]));
  const files: ZoneFile[] = [];
  let trustAnchor = "";
  for (let level = depth(zones[0]?.name ?? ""); level >= 0; level--) {
    const siblings = zones.filter(({ name }) => depth(name) === level);
    const written = await Promise.all(siblings.map((zone) => writeZone(folder, zone, delegations.get(zone.name) ?? [])));
    for (const [at, zone] of siblings.entries()) {
      const { path, dsRecords } = written[at] as WrittenZone;
      if (zone.servedBy === undefined) files.push({ name: zone.name, path });
      if (zone.name === "") trustAnchor = dsRecords.join("\n");
      else delegations.get(parentOf(zone.name, zones))?.push(nameServerLines(zone.name), ...dsRecords);
    }
  }
  return { all: zones, files, trustAnchor };
}

/** Root and top-level domains, with different algorithms like the real ones. */
function parentZones(zones: readonly DnsZone[]): readonly DnsZone[] {
  const missing = new Set(zones.map(({ name }) => name.split(".").at(-1) ?? "").filter((top) => !zones.some(({ name }) => name === top)));
  const tops = [...missing].map((name): DnsZone => {
    return name === "org" ? { name, records: "", algorithm: "RSASHA256", denial: "NSEC3" } : { name, records: "", denial: "NSEC3" };
  });
  return [...tops, { name: "", records: "", algorithm: "RSASHA256" }];
}

/** Number of labels; 0 for the root. */
function depth(name: string): number {
  return name === "" ? 0 : name.split(".").length;
}

/** The closest enclosing zone. */
function parentOf(name: string, zones: readonly DnsZone[]): string {
  const above = name.split(".").slice(1).join(".");
  return zones.some((zone) => zone.name === above) ? above : parentOf(above, zones);
}

/** NS record with glue. The address has no listener: resolvers are configured with addresses and ports. */
function nameServerLines(zone: string): string {
  const absolute = `${zone}.`;
  const server = zone === "" ? "ns." : `ns.${absolute}`;
  return `${absolute} IN NS ${server}\n${server} IN A 127.53.53.53`;
}

interface WrittenZone {
  readonly path: string;
  /** DS records for the zone above. */
  readonly dsRecords: readonly string[];
}

async function writeZone(folder: string, zone: DnsZone, delegations: readonly string[]): Promise<WrittenZone> {
  const own = join(folder, zone.name === "" ? "root" : zone.name);
  mkdirSync(own);
  const path = join(own, "zone");
  const origin = `${zone.name}.`;
  const soa = `@ IN SOA ns hostmaster 1 3600 600 ${7 * day} 60`;
  if (zone.unloadable || zone.servedBy !== undefined) return { path: join(own, "absent"), dsRecords: [] };
  writeFileSync(
    path,
    [`$ORIGIN ${origin}`, "$TTL 60", soa, nameServerLines(zone.name), unindented(zone.records), ...delegations, ""].join("\n"),
  );
  const delegation = zone.delegation ?? "secure";
  if (delegation === "unsigned") return { path, dsRecords: [] };
  const { key, ds } = await newKey(own, origin, zone.algorithm);
  const dsRecords = delegation === "island" ? [] : [delegation === "wrong-ds" ? (await newKey(own, origin, zone.algorithm)).ds : ds];
  if (delegation === "stripped") return { path, dsRecords };
  const sign = (validity: readonly string[], file: string) =>
    run(own, "ldns-signzone", [...validity, ...denialOf(zone), "-o", origin, "-f", file, path, key]);
  await sign(delegation.startsWith("expired") ? expired : unexpired, `${path}.signed`);
  if (delegation === "expired-records") {
    await sign(unexpired, `${path}.fresh`);
    renewKeySignature(`${path}.signed`, `${path}.fresh`);
  }
  if (zone.tampered !== undefined) writeFileSync(`${path}.signed`, tamper(`${path}.signed`, zone.tampered));
  return { path: `${path}.signed`, dsRecords };
}

/** Removes indentation: in a zone file an indented line belongs to the previous owner. */
function unindented(records: string): string {
  return records.replaceAll(/^[ \t]+/gm, "");
}

/** Valid since yesterday, which allows for clock skew. */
const unexpired = ["-i", secondsFromNow(-day)];
const expired = ["-i", secondsFromNow(-60 * day), "-e", secondsFromNow(-30 * day)];

/** Replaces the expired signature of the keys by a fresh one. */
function renewKeySignature(expiredFile: string, freshFile: string): void {
  const signature = /^.*\sRRSIG\sDNSKEY\s.*$/m;
  const [fresh = ""] = signature.exec(readFileSync(freshFile, "utf8")) ?? [];
  writeFileSync(expiredFile, readFileSync(expiredFile, "utf8").replace(signature, fresh));
}

function secondsFromNow(seconds: number): string {
  return String(Math.floor(Date.now() / 1_000) + seconds);
}

/** RFC 9276 section 3.1: no salt, no further iterations. */
function denialOf({ denial }: DnsZone): readonly string[] {
  return denial === "NSEC3" ? ["-n", "-t", "0", "-s", ""] : [];
}

function tamper(path: string, [from, to]: readonly [string, string]): string {
  const text = readFileSync(path, "utf8");
  if (!text.includes(from)) throw new Error(`the zone has no ${from} to tamper with`);
  return text.replaceAll(from, to);
}

/** One key as both KSK and ZSK, as in many small zones. */
async function newKey(
  folder: string,
  origin: string,
  algorithm = "ECDSAP256SHA256",
): Promise<{ readonly key: string; readonly ds: string }> {
  const size = algorithm === "RSASHA256" ? ["-b", "2048"] : [];
  const key = (await run(folder, "ldns-keygen", ["-k", "-a", algorithm, ...size, origin])).trim();
  return { key, ds: readFileSync(join(folder, `${key}.ds`), "utf8").trim() };
}

/** @throws Error with the program's output if it fails. */
async function run(folder: string, program: string, args: readonly string[]): Promise<string> {
  const child = Bun.spawn([program, ...args], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${errors}`);
  return output;
}

async function startNsd(folder: string, zones: readonly ZoneFile[]): Promise<NameServer> {
  const port = await freeDnsPort();
  const own = join(folder, "nsd");
  mkdirSync(own);
  const conf = join(own, "nsd.conf");
  writeFileSync(
    conf,
    `server:
  ip-address: 127.0.0.1@${port}
  server-count: 1
  username: ""
  chroot: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: "${own}/nsd.pid"
  zonelistfile: "${own}/zone.list"
  xfrdfile: "${own}/xfrd.state"
  xfrdir: "${own}"
  rrl-ratelimit: 0
remote-control:
  control-enable: no
${zones.map(({ name, path }) => `zone:\n  name: "${name}."\n  zonefile: "${path}"`).join("\n")}
`,
  );
  const server = await startProcess(["/usr/sbin/nsd", "-d", "-c", conf], () => isAnswered(port, { name: ".", type: "SOA" }, () => true));
  return { ...server, address: `127.0.0.1:${port}` };
}

interface ResolverOptions {
  readonly file: string;
  /** unbound's module-config. */
  readonly modules: string;
  readonly trustAnchor: string;
  /** Servers of the zones. */
  readonly stubs: readonly { readonly name: string; readonly address: string }[];
}

async function startUnbound({ file, modules, trustAnchor, stubs }: ResolverOptions): Promise<NameServer> {
  const port = await freeDnsPort();
  const validates = modules.includes("validator");
  writeFileSync(
    file,
    `server:
  interface: 127.0.0.1@${port}
  access-control: 127.0.0.0/8 allow
  username: ""
  chroot: ""
  directory: ""
  pidfile: ""
  use-syslog: no
  num-threads: 1
  do-ip6: no
  do-daemonize: no
  do-not-query-localhost: no
  ede: yes
  module-config: "${modules}"
  ${validates ? `trust-anchor: "${trustAnchor.replaceAll("\t", " ")}"` : ""}
remote-control:
  control-enable: no
${stubs.map(({ name, address }) => `stub-zone:\n  name: "${name}"\n  stub-addr: ${address.replace(":", "@")}\n  stub-prime: no`).join("\n")}
`,
  );
  const isUp = () =>
    isAnswered(port, { name: ".", type: "SOA", ednsFlags: dnssecOk }, (flags) => !validates || (flags & authenticData) !== 0);
  const server = await startProcess(["/usr/sbin/unbound", "-d", "-p", "-c", file], isUp);
  return { ...server, address: `127.0.0.1:${port}` };
}

async function isAnswered(port: number, question: DnsQuestion, accepts: (flags: number) => boolean): Promise<boolean> {
  const server: DnsServer = { address: "127.0.0.1", port };
  try {
    // A closed port refuses TCP at once; a UDP query would wait for its timeout.
    if (!(await isListening(port))) return false;
    return accepts((await askDns(server, question)).flags ?? 0);
  } catch {
    return false;
  }
}
