/** Finds out which senders an SPF record passes, as sets of addresses: RFC 7208 sections 4.6.2, 5 and 6.1. */
import ipaddr from "ipaddr.js";
import type { MailSpfFacts } from "../../evidence/dns-facts.ts";
import { evaluatedTerms, type PublishedSpf, type SpfAnswers, type SpfQuestion, spfAnswers, spfLookups } from "./spf-evaluation.ts";
import type { SpfMechanism, SpfPrefixes } from "./spf-record.ts";

// Sets of addresses of both families, as ranges of whole numbers: IPv6 first, IPv4 above it.

type Family = keyof SpfPrefixes;

interface AddressRange {
  readonly from: number;
  /** First number after the range. */
  readonly to: number;
}

/** In order, without ranges that overlap or touch. */
type AddressSet = readonly AddressRange[];

/**
 * Leading bits of an address that its number has. For IPv6 these are as many as numbers of both families hold exactly, and more than the
 * 48 of a site's network (RFC 6177).
 */
const bits: SpfPrefixes = { ip4: 32, ip6: 52 };
const firstNumbers = { ip4: 2 ** bits.ip6, ip6: 0 } as const;

const none: AddressSet = [];
const families = ["ip4", "ip6"] as const;
const whole = { ip4: networks("0.0.0.0/0"), ip6: networks("::/0") } as const;
const everyAddress = union(whole.ip4, whole.ip6);

/** Network around an address, at least as wide as a number; empty for a text that is no address. */
function network(address: string, prefixes: SpfPrefixes): AddressSet {
  const family = familyOf(address);
  const size = networkSize(family, prefixes[family]);
  const number = numberOf(address, family);
  if (number === null) return none;
  const from = firstNumbers[family] + Math.floor(number / size) * size;
  return [{ from, to: from + size }];
}

function familyOf(address: string): Family {
  return address.includes(":") ? "ip6" : "ip4";
}

function numberOf(address: string, family: Family): number | null {
  if (family === "ip4") {
    if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return null;
    return ipaddr.IPv4.parse(address).octets.reduce((number, octet) => number * 2 ** 8 + octet, 0);
  }
  if (!ipaddr.IPv6.isValid(address)) return null;
  const [first = 0, second = 0, third = 0, fourth = 0] = ipaddr.IPv6.parse(address).parts;
  return ((first * 2 ** 16 + second) * 2 ** 16 + third) * 2 ** 4 + Math.floor(fourth / 2 ** 12);
}

function networkSize(family: Family, prefix: number): number {
  return 2 ** Math.max(0, bits[family] - prefix);
}

function networks(...texts: readonly string[]): AddressSet {
  const each = texts.map((text) => {
    const [address = "", prefix] = text.split("/");
    return network(address, { ip4: Number(prefix), ip6: Number(prefix) });
  });
  return each.reduce(union, none);
}

function union(one: AddressSet, other: AddressSet): AddressSet {
  const [range] = other;
  if (range === undefined) return one;
  if (one.length === 0) return other;
  // Most terms add one range to a long set.
  if (other.length === 1) return withRange(one, range);
  const merged: AddressRange[] = [];
  for (let [at, otherAt] = [0, 0]; at < one.length || otherAt < other.length; ) {
    const [mine, its] = [one[at], other[otherAt]];
    const isMine = its === undefined || (mine !== undefined && mine.from <= its.from);
    const next = (isMine ? mine : its) as AddressRange;
    if (isMine) at++;
    else otherAt++;
    const last = merged.at(-1);
    if (last === undefined || last.to < next.from) merged.push(next);
    else if (last.to < next.to) merged[merged.length - 1] = { from: last.from, to: next.to };
  }
  return merged;
}

function withRange(set: AddressSet, { from, to }: AddressRange): AddressSet {
  const start = firstAt(set, (each) => each.to >= from);
  const end = firstAt(set, (each) => each.from > to);
  const [first, last] = [set[start], set[end - 1]];
  if (first === undefined || last === undefined || start >= end) return set.toSpliced(start, 0, { from, to });
  return set.toSpliced(start, end - start, { from: Math.min(first.from, from), to: Math.max(last.to, to) });
}

/** Index of the first range for which the condition holds; it holds for all later ones too. */
function firstAt(set: AddressSet, holds: (range: AddressRange) => boolean): number {
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(set[middle] as AddressRange)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function without(set: AddressSet, removed: AddressSet): AddressSet {
  const [first] = set;
  if (first === undefined || removed.length === 0) return set;
  const kept: AddressRange[] = [];
  let at = firstAt(removed, (each) => each.to > first.from);
  for (const { from, to } of set) {
    let start = from;
    for (let hole = removed[at]; hole !== undefined && hole.from < to; hole = removed[++at]) {
      if (hole.from > start) kept.push({ from: start, to: hole.from });
      start = Math.max(start, hole.to);
      // It may also cover a part of the next range.
      if (hole.to > to) break;
    }
    if (start < to) kept.push({ from: start, to });
  }
  return kept;
}

/** Number of addresses, apart from ranges that are special as a whole. */
function sizeOf(set: AddressSet, family: Family): number {
  const counted = without(set, whole[family === "ip4" ? "ip6" : "ip4"]).filter((range) => without([range], special).length > 0);
  return counted.reduce((size, { from, to }) => size + to - from, 0);
}

// Senders.

/** Networks of the registries of RFC 6890 from which no mail arrives over the internet: private, loopback, multicast and reserved ones. */
const special = networks(
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "224.0.0.0/3"],
  ...["fc00::/7", "fe80::/10", "ff00::/8"],
);

/** Addresses that a sender can have. For IPv6, IANA assigns them from 2000::/3 only (registry "IPv6 Address Space", RFC 4291). */
const senders = { ip4: without(whole.ip4, special), ip6: networks("2000::/3") } as const;

/**
 * Shortest prefixes that no organisation has: no one uses more than a /8 of IPv4 for mail, and IANA gives a /12 of IPv6 to a regional
 * registry, for a continent.
 */
const widePrefixes: SpfPrefixes = { ip4: 7, ip6: 12 };

/** `every`: all senders of one family. `many`: as many as in a network of `widePrefixes`. `unread`: more than `few` possibly. */
type SpfReach = "every" | "many" | "few" | "unread";

export interface SpfSenders {
  readonly reach: SpfReach;
  readonly published: PublishedSpf;
  /** Terms of the record that together pass `every` or `many`, as written. At most `termsNamedMax`, then an ellipsis. */
  readonly terms: readonly string[];
}

const termsNamedMax = 8;

/** Addresses that a term matches, or that a record passes. */
interface Matched {
  /** Proved by what was read. */
  readonly surely: AddressSet;
  /** Also those that depend on what was not read. */
  readonly possibly: AddressSet;
  /** True if there is a network of `widePrefixes` at an unknown place: a scan does not ask for addresses of mail servers. */
  readonly unplaced: boolean;
}

const nothing: Matched = { surely: none, possibly: none, unplaced: false };
const unknown: Matched = { surely: none, possibly: everyAddress, unplaced: false };

/** Senders that pass a record. */
interface Passing extends Matched {
  readonly published: PublishedSpf;
  /** What each term passes in addition to the terms in front of it. */
  readonly gains: readonly Gain[];
}

interface Gain {
  readonly term: string;
  readonly added: AddressSet;
  readonly unplaced: boolean;
  /** Result of the record to which a redirect leads. */
  readonly target: Passing | null;
}

/** Senders that pass the domain's own record, with all records that it includes or redirects to. */
export function spfSenders(facts: MailSpfFacts, own: PublishedSpf): SpfSenders {
  const passing = new SpfWalk(facts).passing(own) as Passing;
  const every = families.find((family) => passesEvery(passing.surely, family));
  if (every !== undefined) return named(passing, "every", every, (set) => passesEvery(set, every));
  const many = families.find((family) => passesMany(passing.surely, family));
  if (many !== undefined) return named(passing, "many", many, (set) => passesMany(set, many));
  if (passing.unplaced) return { reach: "many", ...unplacedTerm(passing) };
  const isUnread = families.some((family) => passesMany(passing.possibly, family));
  return { reach: isUnread ? "unread" : "few", published: own, terms: [] };
}

function passesEvery(set: AddressSet, family: Family): boolean {
  return without(senders[family], set).length === 0;
}

function passesMany(set: AddressSet, family: Family): boolean {
  return sizeOf(set, family) >= networkSize(family, widePrefixes[family]);
}

/** Names the widest terms that suffice. For a redirect alone, these are terms of its target. */
function named({ published, gains }: Passing, reach: SpfReach, family: Family, suffices: (set: AddressSet) => boolean): SpfSenders {
  const widest = gains.map((gain) => ({ gain, size: sizeOf(gain.added, family) })).sort((one, other) => other.size - one.size);
  const decisive = new Set<Gain>();
  let set = none;
  for (const { gain } of widest) {
    if (suffices(set)) break;
    set = union(set, gain.added);
    decisive.add(gain);
  }
  const [first, ...others] = gains.filter((gain) => decisive.has(gain));
  if (first?.target != null && others.length === 0) return named(first.target, reach, family, suffices);
  const terms = gains.filter((gain) => decisive.has(gain)).map(({ term }) => term);
  return { reach, published, terms: terms.length > termsNamedMax ? [...terms.slice(0, termsNamedMax), "..."] : terms };
}

function unplacedTerm({ published, gains }: Passing): Pick<SpfSenders, "published" | "terms"> {
  const gain = gains.find(({ unplaced }) => unplaced);
  return gain?.target != null ? unplacedTerm(gain.target) : { published, terms: gain === undefined ? [] : [gain.term] };
}

/** Evaluates each record once, for all senders together. */
class SpfWalk {
  readonly #senderDomain: string;
  readonly #answers: SpfAnswers;
  /** Null for a record under evaluation, which reveals loops. */
  readonly #results = new Map<string, Passing | null>();

  constructor(facts: MailSpfFacts) {
    this.#senderDomain = facts.domain;
    this.#answers = spfAnswers(facts);
  }

  /** Null in a loop: receivers stop with an error, which mail-spf-lookups reports. */
  passing(published: PublishedSpf): Passing | null {
    const before = this.#results.get(published.domain);
    if (before !== undefined) return before;
    this.#results.set(published.domain, null);
    const passing = this.#evaluate(published);
    this.#results.set(published.domain, passing);
    return passing;
  }

  /** RFC 7208 section 4.6.2: the first term that matches decides. */
  #evaluate(published: PublishedSpf): Passing {
    const { mechanisms, redirect } = evaluatedTerms(published.record);
    const questions = new Map(spfLookups(published, this.#senderDomain).map(({ term, question }) => [term, question]));
    const gains: Gain[] = [];
    let pass = nothing;
    let other = nothing;
    const addPass = (term: string, matched: Matched, target: Passing | null) => {
      const added = without(without(matched.surely, other.possibly), pass.surely);
      // Without its place it is unknown whether a part was decided before.
      const unplaced = matched.unplaced && other.possibly.length === 0;
      gains.push({ term, added, unplaced, target });
      pass = {
        surely: union(pass.surely, added),
        possibly: union(pass.possibly, without(matched.possibly, other.surely)),
        unplaced: pass.unplaced || unplaced,
      };
    };
    for (const mechanism of mechanisms) {
      const matched = this.#matched(mechanism, questions.get(mechanism.text) ?? null);
      if (mechanism.qualifier === "+") addPass(mechanism.text, matched, null);
      else {
        const surely = union(other.surely, without(matched.surely, pass.possibly));
        other = { ...nothing, surely, possibly: union(other.possibly, without(matched.possibly, pass.surely)) };
      }
    }
    if (published.truncated && mechanisms.at(-1)?.name !== "all") {
      addPass("", unknown, null);
      other = { ...other, possibly: everyAddress };
    }
    if (redirect !== null) {
      const target = this.#target(questions.get(redirect.text) ?? null);
      addPass(redirect.text, target, "gains" in target ? target : null);
    }
    return { ...pass, published, gains };
  }

  /**
   * A term whose match depends on the sender counts as one that matches nothing: `ptr`, and `exists` with such a macro. So does a network
   * at an unknown place that is not wide.
   */
  #matched({ name, address, prefixes }: SpfMechanism, question: SpfQuestion | null): Matched {
    if (name === "all") return exactly(everyAddress);
    if (name === "include") return this.#target(question);
    if (name === "ptr" || (name === "exists" && question === null)) return nothing;
    if (address !== null) return around([address], prefixes);
    const wide = families.filter((family) => prefixes[family] <= widePrefixes[family]);
    const answer = question === null ? undefined : this.#answers.to(question);
    if (answer?.status !== "read") return name === "exists" || wide.length > 0 ? unknown : nothing;
    const texts = answer.facts.records.map(({ text }) => text).filter((text) => text !== "" && text !== ".");
    if (name === "a") return around(texts, prefixes);
    // RFC 7208 section 5.7: exists queries IPv4 addresses for senders of both families.
    if (name === "exists") return texts.some((text) => !text.includes(":")) ? exactly(everyAddress) : nothing;
    if (texts.length === 0 || wide.length === 0) return nothing;
    const complete = wide.filter((family) => prefixes[family] === 0).map((family) => whole[family]);
    return complete.length < wide.length
      ? { ...unknown, surely: complete.reduce(union, none), unplaced: true }
      : exactly(complete.reduce(union, none));
  }

  /** RFC 7208 section 5.2: an include matches senders that pass the included record. A missing record is an error, reported elsewhere. */
  #target(question: SpfQuestion | null): Matched | Passing {
    const target = this.#answers.recordAt(question?.name ?? null);
    if (target === "unread") return unknown;
    return (typeof target === "string" ? null : this.passing(target)) ?? nothing;
  }
}

/** Networks around addresses. One that is narrower than a number is never proved to match all of it. */
function around(addresses: readonly string[], prefixes: SpfPrefixes): Matched {
  const isExact = (address: string) => prefixes[familyOf(address)] <= bits[familyOf(address)];
  const networksOf = (each: readonly string[]) => each.map((address) => network(address, prefixes)).reduce(union, none);
  return { surely: networksOf(addresses.filter(isExact)), possibly: networksOf(addresses), unplaced: false };
}

function exactly(addresses: AddressSet): Matched {
  return { surely: addresses, possibly: addresses, unplaced: false };
}
