/** Addresses whose content can stay the same. */
import { expect, test } from "vitest";
import { isPinnableUrl } from "../../../src/parse/pinnable-url.ts";

test.each([
  "https://cdn.example/jquery-3.7.1.min.js",
  "https://cdn.example/lib@1.2/x.js",
  "https://cdn.example/x.js?ver=6.4",
  "https://cdn.example/main.3f2a91bc.js",
  "https://unpkg.com/react",
  "https://cdn.jsdelivr.net/npm/bootstrap@5/dist/js/bootstrap.js",
])("%s", (url) => expect(isPinnableUrl(url)).toBe(true));

test.each([
  "https://tags.example/gtag/js?id=G-ABC123DEF4",
  "https://js.pay.example/v3/",
  "https://social.example/en_US/sdk.js",
  "https://chat.example/12345678.js",
  "https://consent.example/4a5b6c7d-0123-4567-89ab-0123456789ab/stub.js",
  "https://cdn.example/decadefaced.js",
  "not a url",
])("%s cannot be pinned", (url) => expect(isPinnableUrl(url)).toBe(false));
