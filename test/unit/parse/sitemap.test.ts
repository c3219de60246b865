/** Sitemaps of the wild and of attackers. */
import { describe, expect, test } from "vitest";
import { parseSitemap } from "../../../src/parse/sitemap.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const urlset = (body: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${body}</urlset>\n`;
const locations = (text: string, max = 100) => {
  const sitemap = parseSitemap(text, max);
  return "fault" in sitemap ? sitemap.fault : sitemap.locations;
};

describe("a sitemap", () => {
  test("lists pages, in order, with the references of XML", () => {
    const body = `
      <url><loc> https://a.test/?a=1&amp;b=2 </loc><lastmod>2027-01-01</lastmod></url>
      <!-- <url><loc>https://a.test/comment</loc></url> -->
      <url title='a > b' x="</loc>"><loc><![CDATA[https://a.test/<cdata>&amp;]]></loc></url>
      <url><loc>https://a.test/&#xe4;&#228;&apos;&unknown;</loc></url><url><loc/></url>`;
    expect(parseSitemap(urlset(body).replace('x="</loc>"', ""), 100)).toEqual({
      lists: "pages",
      locations: ["https://a.test/?a=1&b=2", "https://a.test/<cdata>&amp;", "https://a.test/\u00e4\u00e4'&unknown;"],
    });
  });

  test("leaves out addresses of extensions", () => {
    const body = `<url><loc>https://a.test/</loc><image:image><image:loc>https://a.test/i.png</image:loc><loc>https://a.test/deep</loc></image:image></url>`;
    expect(locations(urlset(body))).toEqual(["https://a.test/"]);
    expect(
      locations(`\ufeff<s:urlset xmlns:s="x"><s:url><s:loc>https://a.test/</s:loc><loc>https://b.test/</loc></s:url></s:urlset>`),
    ).toEqual(["https://a.test/"]);
  });

  test("of index files lists those", () => {
    expect(
      parseSitemap("<sitemapindex><sitemap><loc>https://a.test/1.xml</loc></sitemap><url><loc>no</loc></url></sitemapindex>", 9),
    ).toEqual({
      lists: "sitemaps",
      locations: ["https://a.test/1.xml"],
    });
  });

  test("ends at the limit of addresses", () => {
    expect(locations(urlset("<url><loc>https://a.test/</loc></url>".repeat(10)), 3)).toHaveLength(3);
  });

  test.each([
    ["", "no XML"],
    ["https://a.test/", "no XML"],
    ["<html><body></body></html>", "neither urlset nor sitemapindex"],
    ['<!DOCTYPE urlset [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset/>', "document type"],
    ["<urlset><!ELEMENT x></urlset>", "document type"],
    ["<urlset><url>", "ends early"],
    ["<urlset><url></urlset>", "not well-formed"],
    ["<urlset></urlset><urlset></urlset>", "not well-formed"],
    ["<urlset>< url></urlset>", "not well-formed"],
    ["<urlset><!-- </urlset>", "not well-formed"],
    ["<urlset><![CDATA[ </urlset>", "not well-formed"],
    [`<urlset>${"<a>".repeat(40)}`, "nested too deeply"],
  ])("is refused: %j", (text, fault) => {
    expect(parseSitemap(text, 100)).toEqual({ fault: expect.stringContaining(fault) });
  });

  test.each([
    "<urlset ".padEnd(5_000_000, " "),
    `<urlset>${"<a ".repeat(1_000_000)}`,
    `<urlset a="${'" b="'.repeat(1_000_000)}`,
    `<urlset>${"<!--".repeat(1_000_000)}`,
    `<urlset><url><loc>${"&#1".repeat(1_000_000)}`,
  ])("of millions of characters without end is refused at once (%#)", (text) => {
    const fromMs = cpuMs();
    expect(parseSitemap(text, 100)).toHaveProperty("fault");
    expect(cpuMs() - fromMs).toBeLessThan(2_000);
  });
});
