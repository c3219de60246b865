/** Fields with a product and its version; the table of the check `information-disclosure` has the values. */
import { expect, test } from "vitest";
import { namesVersion, productVersionFields } from "../../../src/parse/product-version.ts";
import { headerFields } from "../../support/evidence.ts";

test("fields come in order with their names as sent", () => {
  const fields = headerFields({ server: "nginx/1.18.0", "X-Jenkins": "2.401.1", date: "x", warning: '299 elasticsearch/7.17.1 "old"' });
  expect(productVersionFields(fields)).toEqual(["X-Jenkins: 2.401.1", 'warning: 299 elasticsearch/7.17.1 "old"']);
});

test("a version has a dot or follows a slash", () => {
  expect(["a 1.2", "a/1", "a/v2", "Drupal 10", "S3", ""].map(namesVersion)).toEqual([true, true, true, false, false, false]);
});
