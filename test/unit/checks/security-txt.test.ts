/** The file must be at its location, over https, as plain text, with a contact. */
import check from "../../../checks/security-txt.ts";
import type { SecurityTxtFacts } from "../../../src/evidence/http-facts.ts";
import { testCheck } from "../../support/check-tester.ts";

type Attempt = SecurityTxtFacts["attempts"][number];
const place = "https://www.shop.com/.well-known/security.txt";
const body = "Contact: mailto:security@shop.com\nExpires: 2027-01-01T00:00:00Z\n";
const wellKnown = (given: Partial<Attempt> = {}): Attempt => ({
  url: place,
  finalUrl: place,
  status: 200,
  contentType: "text/plain; charset=utf-8",
  body,
  truncated: false,
  ...given,
});
const root = (given: Partial<Attempt> = {}) =>
  wellKnown({ url: "https://www.shop.com/security.txt", finalUrl: "https://www.shop.com/security.txt", ...given });
const page: Partial<Attempt> = { contentType: "text/html", body: "<!doctype html><p>Contact: us</p>" };
const none: Partial<Attempt> = { status: 404, contentType: "text/html", body: "" };
const answers = (...attempts: Attempt[]) => ({ url: "https://www.shop.com/", registrableDomain: "shop.com", securityTxt: { attempts } });
type Hop = NonNullable<Attempt["hops"]>[number];
const files = "https://files.shop.com/security.txt";
const accepted = (url = place): Hop => ({ url, certificate: "accepted" });
const refused = (url = files): Hop => ({ url, certificate: "refused" });
const unread: Hop = { url: files, certificate: "unread" };
const plain: Hop = { url: "http://www.shop.com/s", certificate: null };
const through = (...hops: Hop[]): Partial<Attempt> => ({ hops, finalUrl: hops.at(-1)?.url ?? place });

testCheck(check, {
  passed: [
    ["a valid file", answers(wellKnown())],
    ["redirected to another host over https", answers(wellKnown({ finalUrl: "https://shop.com/.well-known/security.txt" }))],
    ["the default charset is UTF-8", answers(wellKnown({ contentType: "text/plain" }))],
    ["US-ASCII is UTF-8 too", answers(wellKnown({ contentType: "TEXT/PLAIN;charset=us-ascii" }))],
    ["a cut file with its contact in the kept part", answers(wellKnown({ truncated: true }))],
    ["redirected to a host with a good certificate", answers(wellKnown(through(accepted(), accepted(files))))],
    ["the certificate is that of the reading on TLS", answers(wellKnown(through({ url: place, certificate: null })))],
    ["redirected to that endpoint", answers(wellKnown(through(accepted(), { url: files, certificate: null })))],
    ["evidence of older versions", answers(wellKnown({ finalUrl: files }))],
    ["lower case", answers(wellKnown({ body: "contact: https://shop.com/report\n" }))],
  ],
  notApplicable: [["an IP address", { url: "https://192.0.2.1/", registrableDomain: null }]],
  notChecked: [
    ["refused", answers(wellKnown({ status: 403 }), root(none))],
    ["a server error", answers(wellKnown({ status: 503 }), root())],
    ["endless redirects", answers(wellKnown({ status: 301 }), root(none))],
    ["the certificate of another host is unread", answers(wellKnown(through(accepted(), unread)))],
    [
      "refused by a server behind a refused certificate",
      answers(wellKnown({ ...through(accepted(), refused()), status: 403 }), root(none)),
    ],
    ["a cut file without a contact in the kept part", answers(wellKnown({ body: "# hello\n", truncated: true }))],
    ["no request was sent", answers()],
  ],
  violated: {
    "security.security-txt.missing": [
      [
        "at neither location",
        answers(wellKnown(none), root(none)),
        { values: { registrableDomain: "shop.com", expires: "2027-11-16T00:00:00Z" } },
      ],
      ["gone", answers(wellKnown({ status: 410 }), root(none))],
      ["an HTML page for every path", answers(wellKnown(page), root(page))],
      ["the legacy location did not answer", answers(wellKnown(none))],
      ["the legacy location gave an inconclusive answer", answers(wellKnown(none), root({ status: 500 }))],
    ],
    "security.security-txt.wrong-place": [
      ["at the legacy location", answers(wellKnown(none), root()), { values: { fileUrl: "https://www.shop.com/security.txt" } }],
      ["at the legacy location, with an HTML page for every path", answers(wellKnown(page), root())],
    ],
    "security.security-txt.certificate-not-accepted": [
      [
        "at the last hop",
        answers(wellKnown(through(accepted(), refused()))),
        { values: { fileUrl: place, refusedUrl: files, refusedHost: "files.shop.com" } },
      ],
      ["in the middle", answers(wellKnown(through(accepted(), refused(), accepted("https://shop.com/s"))))],
      ["at another port of the host", answers(wellKnown(through(accepted(), refused("https://www.shop.com:8443/s"))))],
      ["at the scanned host, while the page is on another", answers(wellKnown(through(refused(place))))],
      ["content is not judged", answers(wellKnown({ ...through(accepted(), refused()), contentType: "text/html", body: "Contact:\n" }))],
      [
        "at the legacy location",
        answers(wellKnown(none), root(through(accepted(), refused()))),
        { also: ["security.security-txt.wrong-place"] },
      ],
      [
        "and then to plain http",
        answers(wellKnown(through(accepted(), refused(), plain))),
        { also: ["security.security-txt.redirect-to-http"] },
      ],
    ],
    "security.security-txt.redirect-to-http": [
      ["plain http on the way", answers(wellKnown(through(accepted(), plain, accepted(files)))), { values: { fileUrl: plain.url } }],
      [
        "plain http after redirects",
        answers(wellKnown({ finalUrl: "http://shop.com/security.txt" })),
        { values: { fileUrl: "http://shop.com/security.txt" } },
      ],
    ],
    "security.security-txt.content-type": [
      ["another type", answers(wellKnown({ contentType: "text/html" })), { values: { contentType: "text/html" } }],
      ["none", answers(wellKnown({ contentType: null }))],
      ["a type with the same prefix", answers(wellKnown({ contentType: "text/plainer" }))],
      [
        "also without a contact",
        answers(wellKnown({ contentType: "application/octet-stream", body: "" })),
        { also: ["security.security-txt.contact-missing"] },
      ],
    ],
    "security.security-txt.charset": [["Latin-1", answers(wellKnown({ contentType: "text/plain; charset=iso-8859-1" }))]],
    "security.security-txt.contact-missing": [
      ["no such field", answers(wellKnown({ body: "Expires: 2027-01-01T00:00:00Z\n" })), { values: { fileUrl: place } }],
      ["an empty file", answers(wellKnown({ body: "" }))],
      ["only in a comment", answers(wellKnown({ body: "# Contact: mailto:a@shop.com\n" }))],
    ],
  },
});
