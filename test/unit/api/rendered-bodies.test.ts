/** Cache of rendered bodies, and comparison of entity tags. */
import { describe, expect, test } from "vitest";
import { matchesEtag, RenderedBodies, withEtag } from "../../../src/api/rendered-bodies.ts";

describe("rendered bodies", () => {
  const texts = {};

  test("of former texts are dropped", () => {
    let inUse = texts;
    const bodies = new RenderedBodies(() => inUse);
    const first = bodies.get("a", () => withEtag("{}"));
    inUse = {};
    const second = bodies.get("a", () => withEtag("[]"));
    expect(second).not.toBe(first);
    expect(bodies.get("a", () => withEtag("{}"))).toBe(second);
  });
  test("are rendered once", () => {
    const bodies = new RenderedBodies(() => texts);
    let rendered = 0;
    const render = () => withEtag(`{"n":${++rendered}}`);
    expect(bodies.get("a", render)).toBe(bodies.get("a", render));
    expect(rendered).toBe(1);
  });
  test("evict the least recently used first", () => {
    const bodies = new RenderedBodies(() => texts);
    const first = bodies.get("first", () => withEtag("{}"));
    const second = bodies.get("second", () => withEtag("{}"));
    for (let i = 0; i < 998; i += 1) bodies.get(`key ${i}`, () => withEtag("{}"));
    expect(bodies.get("first", () => withEtag("[]"))).toBe(first);
    bodies.get("one more", () => withEtag("{}"));
    expect(bodies.get("first", () => withEtag("[]"))).toBe(first);
    expect(bodies.get("second", () => withEtag("[]"))).not.toBe(second);
  });
  test("are evicted when they are large, however few", () => {
    const bodies = new RenderedBodies(() => texts);
    const large = () => withEtag(`"${"x".repeat(15_000_000)}"`);
    const [first, second] = [bodies.get("first", large), bodies.get("second", large)];
    bodies.get("third", large);
    expect(bodies.get("second", () => withEtag("[]"))).toBe(second);
    expect(bodies.get("first", () => withEtag("[]"))).not.toBe(first);
  });
  test("have a tag of their content", () => {
    expect(withEtag("{}").etag).toBe(withEtag("{}").etag);
    expect(withEtag("{}").etag).not.toBe(withEtag("[]").etag);
    expect(withEtag("{}").etag).toMatch(/^"[\w-]{22}"$/);
  });
});

describe("If-None-Match", () => {
  test.each([
    [null, false],
    ["", false],
    ["*", true],
    [" * ", true],
    ['"tag"', true],
    ['W/"tag"', true],
    ['"other"', false],
    ['"other", "tag"', true],
    ['"other",W/"tag" , "third"', true],
    ["tag", false],
    ['"tag', false],
    ['"TAG"', false],
    ['"a,b", "tag"', true],
    ['"*"', false],
    [`${'"x", '.repeat(1_000)}"tag"`, true],
  ])("%s", (header, matches) => expect(matchesEtag(header, '"tag"')).toBe(matches));
});
